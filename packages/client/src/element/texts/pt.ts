// The texts of the element in Brazilian Portuguese.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Verificação de segurança',
  idle: 'Aguardando.',
  solving: 'Seu dispositivo está fazendo a verificação…',
  ready: 'Concluído.',
  image_needed: 'Só mais um passo: a imagem abaixo.',
  effort_needed: 'Seu dispositivo está fazendo o cálculo adicional…',
  waiting: 'Muitas solicitações. Aguarde {time}.',
  waiting_service: 'A verificação de segurança não está disponível no momento. Nova tentativa em {time}.',
  rate_limited: 'Muitas solicitações. A verificação continuará em instantes.',
  offline: 'Você está sem conexão. A verificação de segurança continuará quando a conexão voltar.',
  no_answer:
    'A verificação de segurança não está respondendo. Uma nova tentativa será feita automaticamente.',
  unavailable:
    'A verificação de segurança não está disponível no momento. Uma nova tentativa será feita automaticamente.',
  wrong_setup:
    'A verificação de segurança deste site não está configurada corretamente. Avise os responsáveis pelo site.',
  gave_up: 'Seu dispositivo não conseguiu concluir a verificação. Tente novamente.',
  failed: 'A verificação de segurança não funcionou. Tente novamente.',
  retry: 'Tentar novamente',
  confirm: 'Confirmar',
  slow: 'Aqui demora mais: o navegador ou esta página não permite cálculos rápidos.',
  label: 'Caracteres da imagem',
  characters: 'Caracteres possíveis: {characters}',
  alt: 'Letras e números distorcidos, que devem ser digitados no campo abaixo',
  image_shown: 'Digite também os caracteres da imagem.',
  new_image: 'Nova imagem',
  wrong: 'Essa resposta não foi aceita. Digite os caracteres desta nova imagem.',
  expired: 'Esta imagem expirou. Solicite uma nova.',
  image_failed:
    'Não é possível exibir a imagem. Solicite uma nova; se isso não resolver, avise os responsáveis pelo site.',
  choose_effort: 'Não consigo ler esta imagem: deixar meu dispositivo calcular',
  effort_time: 'Isso leva {time} neste dispositivo.',
  effort: 'Cálculo adicional no lugar da imagem',
  effort_left: 'Etapa {part} de {parts}, tempo restante: {time}',
  effort_started:
    'Seu dispositivo está calculando no lugar da imagem. Você pode continuar preenchendo o formulário.',
  effort_done: 'Concluído: nenhuma imagem é necessária.',
  choose_image: 'Mostrar uma imagem',
  about: 'cerca de {time}',
  few_seconds: 'alguns segundos',
  not_ready: 'Um momento: a verificação de segurança ainda está em andamento.',
  missing: 'Digite os caracteres da imagem.',
  delayed: 'O formulário será enviado assim que a verificação de segurança terminar.',
  ready_again: 'A verificação de segurança foi concluída.',
};

export default texts;
