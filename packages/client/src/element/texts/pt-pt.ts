// The texts of the element in European Portuguese.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Verificação de segurança',
  idle: 'Em espera.',
  solving: 'Verificação em curso no seu dispositivo…',
  ready: 'Concluído.',
  image_needed: 'Só mais um passo: a imagem abaixo.',
  effort_needed: 'Cálculo adicional em curso no seu dispositivo…',
  waiting: 'Demasiados pedidos. Aguarde {time}, por favor.',
  waiting_service: 'A verificação de segurança não está disponível neste momento. Nova tentativa em {time}.',
  rate_limited: 'Demasiados pedidos. A verificação continua dentro de instantes.',
  offline:
    'O seu dispositivo está offline. A verificação de segurança continuará quando ele estiver online novamente.',
  no_answer: 'A verificação de segurança não responde. Haverá uma nova tentativa automática.',
  unavailable:
    'A verificação de segurança não está disponível neste momento. Haverá uma nova tentativa automática.',
  wrong_setup:
    'A verificação de segurança deste site não está bem configurada. Por favor, avise os responsáveis pelo site.',
  gave_up: 'O seu dispositivo não conseguiu concluir a verificação. Tente novamente, por favor.',
  failed: 'A verificação de segurança não funcionou. Tente novamente, por favor.',
  retry: 'Tentar novamente',
  confirm: 'Confirmar',
  slow: 'Aqui demora mais: o navegador ou esta página não permite cálculos rápidos.',
  label: 'Caracteres da imagem',
  characters: 'Caracteres possíveis: {characters}',
  alt: 'Letras e algarismos distorcidos, a escrever no campo abaixo',
  image_shown: 'Escreva também os caracteres da imagem, por favor.',
  new_image: 'Nova imagem',
  wrong: 'Não foi possível aceitar essa resposta. Escreva os caracteres desta nova imagem, por favor.',
  expired: 'Esta imagem expirou. Peça uma nova, por favor.',
  image_failed:
    'Não é possível mostrar a imagem. Peça uma nova, por favor; se não resultar, avise os responsáveis pelo site.',
  choose_effort: 'Não consigo ler esta imagem: prefiro que o meu dispositivo trabalhe',
  effort_time: 'Neste dispositivo, demora {time}.',
  effort: 'Cálculo adicional em vez da imagem',
  effort_left: 'Passo {part} de {parts}, tempo restante: {time}',
  effort_started: 'O seu dispositivo calcula em vez da imagem. Pode continuar a preencher o formulário.',
  effort_done: 'Concluído: não é necessária nenhuma imagem.',
  choose_image: 'Mostrar uma imagem em vez disso',
  about: 'cerca de {time}',
  few_seconds: 'alguns segundos',
  not_ready: 'Um momento, por favor: a verificação de segurança ainda não terminou.',
  missing: 'Escreva os caracteres da imagem, por favor.',
  delayed: 'O formulário será enviado assim que a verificação de segurança terminar.',
  ready_again: 'A verificação de segurança terminou.',
};

export default texts;
