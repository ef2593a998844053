// The texts of the gate's page in European Portuguese.
import type { GateTexts } from './en.js';

export const ptPT: GateTexts = {
  title: 'Verificação de segurança',
  lead: '{site} vai abrir dentro de momentos: o seu dispositivo está a fazer um cálculo breve. Não é preciso fazer nada.',
  lead_image: 'Para abrir {site}, escreva os caracteres de uma imagem, por favor.',
  proceed: 'Continuar',
  stuck: 'Não acontece nada? Não foi possível carregar os scripts desta página. Recarregue a página.',
  no_script: 'O JavaScript está desativado aqui. Ative-o para este site e recarregue a página.',
  no_script_image: 'O JavaScript está desativado aqui. Escreva antes os caracteres da imagem, por favor.',
  label: 'Caracteres da imagem',
  alt: 'Letras e algarismos distorcidos, a escrever no campo abaixo',
  wrong: 'Não foi possível aceitar essa resposta. Escreva os caracteres desta nova imagem, por favor.',
  not_sent: 'O que acabou de enviar não foi entregue. Depois desta verificação, volte atrás e envie de novo.',
  back: 'Voltar atrás',
  done: 'Concluído. A página está a abrir…',
  send_again: 'Concluído. O que enviou antes não foi entregue: volte atrás e envie de novo.',
  not_kept:
    'A verificação foi concluída, mas o site pede-a outra vez. Permita cookies para este site e tente novamente.',
  moved:
    'A verificação foi concluída, mas a sua ligação muda constantemente de endereço e o site pede-a outra vez. Use uma só rede e tente novamente.',
  wait: 'A verificação tem de esperar um momento. Continua sozinha dentro de:',
  retry: 'Tentar novamente',
  failed: 'A verificação não funcionou. Tente novamente, por favor.',
  refused: 'Esta página não pode ser aberta a partir da sua rede.',
};
