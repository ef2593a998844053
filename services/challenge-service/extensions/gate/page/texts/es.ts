// The texts of the gate's page in Spanish.
import type { GateTexts } from './en.js';

export const es: GateTexts = {
  title: 'Control de seguridad',
  lead: '{site} se abrirá en un momento: su dispositivo está haciendo un breve cálculo. No tiene que hacer nada.',
  lead_image: 'Antes de abrir {site}, escriba los caracteres de una imagen, por favor.',
  proceed: 'Continuar',
  stuck: '¿No ocurre nada? No se han podido cargar los scripts de esta página. Vuelva a cargarla.',
  no_script: 'JavaScript está desactivado aquí. Actívelo para este sitio y vuelva a cargar la página.',
  no_script_image:
    'JavaScript está desactivado aquí. Escriba en su lugar los caracteres de la imagen, por favor.',
  label: 'Caracteres de la imagen',
  alt: 'Letras y cifras distorsionadas que se escriben en el campo de abajo',
  wrong: 'Esa respuesta no se ha aceptado. Escriba los caracteres de esta nueva imagen, por favor.',
  not_sent:
    'Lo que acaba de enviar no se ha entregado. Después de este control, vuelva atrás y envíelo de nuevo.',
  back: 'Volver atrás',
  done: 'Listo. La página se está abriendo…',
  send_again: 'Listo. Lo que envió antes no se ha entregado: vuelva atrás y envíelo de nuevo.',
  not_kept:
    'El control se ha superado, pero el sitio lo pide otra vez. Permita las cookies de este sitio e inténtelo de nuevo.',
  moved:
    'El control se ha superado, pero su conexión cambia continuamente de dirección y el sitio lo pide otra vez. Use una sola red e inténtelo de nuevo.',
  wait: 'El control tiene que esperar un momento. Continuará por sí solo en:',
  retry: 'Reintentar',
  failed: 'El control no ha funcionado. Inténtelo de nuevo, por favor.',
  refused: 'Esta página no se puede abrir desde su red.',
};
