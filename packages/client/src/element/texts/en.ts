// English texts of the element, also the fallback for other languages.

export const en = {
  title: 'Security check',
  idle: 'Waiting.',
  solving: 'Your device is working on it…',
  ready: 'Done.',
  image_needed: 'One more step: the image below.',
  effort_needed: 'Your device is doing the extra work…',
  waiting: 'Too many requests. Please wait {time}.',
  waiting_service: 'The security check is not available at the moment. Next try in {time}.',
  rate_limited: 'Too many requests. The check continues in a moment.',
  offline: 'You are offline. The security check continues when you are online again.',
  no_answer: 'The security check is not responding. It will try again automatically.',
  unavailable: 'The security check is not available at the moment. It will try again automatically.',
  wrong_setup:
    'The security check of this site is not set up correctly. Please tell the people who run the site.',
  gave_up: 'Your device could not finish the check. Please try again.',
  failed: 'The security check did not work. Please try again.',
  retry: 'Try again',
  confirm: 'Confirm',
  slow: 'This takes longer here: the browser or this page does not allow fast computing.',
  label: 'Characters in the image',
  characters: 'Possible characters: {characters}',
  alt: 'Distorted letters and digits, to be typed in the field below',
  image_shown: 'Please also type the characters in the image.',
  new_image: 'New image',
  wrong: 'That answer was not accepted. Please type the characters in this new image.',
  expired: 'This image has expired. Please request a new one.',
  image_failed:
    'The image cannot be shown. Please request a new one. If that does not help, please tell the people who run the site.',
  choose_effort: 'I cannot read this image: let my device work instead',
  effort_time: 'That takes {time} on this device.',
  effort: 'Extra work in place of the image',
  effort_left: 'Step {part} of {parts}, {time} left',
  effort_started: 'Your device is working in place of the image. You can continue with the form.',
  effort_done: 'Done: no image is needed.',
  choose_image: 'Show me an image instead',
  about: 'about {time}',
  few_seconds: 'a few seconds',
  not_ready: 'One moment, please: the security check is still running.',
  missing: 'Please type the characters in the image.',
  delayed: 'The form will be sent as soon as the security check is done.',
  ready_again: 'The security check is done.',
};

/** Text name. */
export type TextKey = keyof typeof en;
/** All texts of one language, with `{name}` placeholders. */
export type Texts = Readonly<Record<TextKey, string>>;
