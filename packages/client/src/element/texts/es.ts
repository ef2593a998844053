// The texts of the element in Spanish.
import type { Texts } from './en.js';

const texts: Texts = {
  title: 'Control de seguridad',
  idle: 'En espera.',
  solving: 'Su dispositivo lo está procesando…',
  ready: 'Listo.',
  image_needed: 'Un paso más: la imagen de abajo.',
  effort_needed: 'Su dispositivo está haciendo el cálculo adicional…',
  waiting: 'Demasiadas solicitudes. Espere {time}, por favor.',
  waiting_service: 'El control de seguridad no está disponible en este momento. Nuevo intento en {time}.',
  rate_limited: 'Demasiadas solicitudes. El control continuará en un momento.',
  offline: 'No hay conexión a Internet. El control de seguridad continuará cuando vuelva la conexión.',
  no_answer: 'El control de seguridad no responde. Se volverá a intentar automáticamente.',
  unavailable:
    'El control de seguridad no está disponible en este momento. Se volverá a intentar automáticamente.',
  wrong_setup:
    'El control de seguridad de este sitio no está bien configurado. Por favor, avise a los responsables del sitio.',
  gave_up: 'Su dispositivo no ha podido completar el control. Inténtelo de nuevo, por favor.',
  failed: 'El control de seguridad no ha funcionado. Inténtelo de nuevo, por favor.',
  retry: 'Reintentar',
  confirm: 'Confirmar',
  slow: 'Aquí tarda más: el navegador o esta página no permite calcular con rapidez.',
  label: 'Caracteres de la imagen',
  characters: 'Caracteres posibles: {characters}',
  alt: 'Letras y cifras distorsionadas que se escriben en el campo de abajo',
  image_shown: 'Escriba también los caracteres de la imagen, por favor.',
  new_image: 'Otra imagen',
  wrong: 'Esa respuesta no se ha aceptado. Escriba los caracteres de esta nueva imagen, por favor.',
  expired: 'Esta imagen ha caducado. Solicite otra, por favor.',
  image_failed:
    'No se puede mostrar la imagen. Solicite otra, por favor; si no sirve, avise a los responsables del sitio.',
  choose_effort: 'No puedo leer esta imagen: prefiero que trabaje mi dispositivo',
  effort_time: 'En este dispositivo tarda {time}.',
  effort: 'Cálculo adicional en lugar de la imagen',
  effort_left: 'Paso {part} de {parts}, tiempo restante: {time}',
  effort_started:
    'Su dispositivo está calculando en lugar de la imagen. Puede seguir rellenando el formulario.',
  effort_done: 'Listo: no hace falta ninguna imagen.',
  choose_image: 'Mostrar una imagen en su lugar',
  about: 'aproximadamente {time}',
  few_seconds: 'unos segundos',
  not_ready: 'Un momento, por favor: el control de seguridad aún no ha terminado.',
  missing: 'Escriba los caracteres de la imagen, por favor.',
  delayed: 'El formulario se enviará en cuanto termine el control de seguridad.',
  ready_again: 'El control de seguridad ha terminado.',
};

export default texts;
