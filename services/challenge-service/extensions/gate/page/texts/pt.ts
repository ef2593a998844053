// The texts of the gate's page in Brazilian Portuguese.
import type { GateTexts } from './en.js';

export const pt: GateTexts = {
  title: 'Verificação de segurança',
  lead: '{site} será aberto em instantes: seu dispositivo está fazendo um cálculo rápido. Você não precisa fazer nada.',
  lead_image: 'Para abrir {site}, digite os caracteres de uma imagem.',
  proceed: 'Continuar',
  stuck: 'Nada acontece? Não foi possível carregar os scripts desta página. Atualize a página.',
  no_script: 'O JavaScript está desativado aqui. Ative-o para este site e atualize a página.',
  no_script_image: 'O JavaScript está desativado aqui. Em vez disso, digite os caracteres da imagem.',
  label: 'Caracteres da imagem',
  alt: 'Letras e números distorcidos, que devem ser digitados no campo abaixo',
  wrong: 'Essa resposta não foi aceita. Digite os caracteres desta nova imagem.',
  not_sent: 'O que você acabou de enviar não foi entregue. Depois desta verificação, volte e envie de novo.',
  back: 'Voltar',
  done: 'Concluído. A página está abrindo…',
  send_again: 'Concluído. O que você enviou antes não foi entregue: volte e envie de novo.',
  not_kept:
    'A verificação foi concluída, mas o site a pede de novo. Permita cookies para este site e tente novamente.',
  moved:
    'A verificação foi concluída, mas o endereço da sua conexão muda o tempo todo, por isso o site a pede de novo. Fique em uma só rede e tente novamente.',
  wait: 'A verificação precisa esperar um momento. Ela continuará sozinha em:',
  retry: 'Tentar novamente',
  failed: 'A verificação não funcionou. Tente novamente.',
  refused: 'Esta página não pode ser aberta a partir da sua rede.',
};
