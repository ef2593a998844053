// The texts of the gate's page in English; their keys are the keys of every other language.

export const en = {
  title: 'Security check',
  lead: 'One moment before {site} opens: your device is doing a short calculation. You do not have to do anything.',
  lead_image: 'Before {site} opens, please type the characters of an image.',
  proceed: 'Continue',
  stuck: 'Nothing happens? Something keeps the scripts of this page from loading. Load the page again.',
  no_script: 'JavaScript is switched off here. Switch it on for this site, then load the page again.',
  no_script_image: 'JavaScript is switched off here. Please type the characters in the image instead.',
  label: 'Characters in the image',
  alt: 'Distorted letters and digits, to be typed in the field below',
  wrong: 'That answer was not accepted. Please type the characters in this new image.',
  not_sent: 'What you have just sent was not delivered. After this check, go back and send it again.',
  back: 'Go back',
  done: 'Done. The page is opening…',
  send_again: 'Done. What you sent before was not delivered: go back and send it again.',
  not_kept: 'The check was passed, but the site asks again. Allow cookies for this site, then try again.',
  moved:
    'The check was passed, but your connection keeps changing its address, so the site asks again. Stay on one network, then try again.',
  wait: 'The check has to wait a moment. It goes on by itself in:',
  retry: 'Try again',
  failed: 'The check did not work. Please try again.',
  refused: 'This page cannot be opened from your network.',
};

/** All texts in one language; `{site}` is the name of the site. */
export type GateTexts = Readonly<Record<keyof typeof en, string>>;
