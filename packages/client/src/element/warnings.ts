// What the element tells developers in the console: what only a change of the page or the service mends.

import { warnOnce } from '../warn-once.js';

/** @param error of the code `wrong_setup` */
export function warnOfSetup({ message }: Error): void {
  warnOnce(
    globalThis.origin === 'null'
      ? 'the service answers no page without an origin: serve the page over http(s), and in no sandboxed frame without allow-same-origin.'
      : `the service does not answer with a challenge: ${message} (Do base-url, prefix and preset of the element, and the gateway, lead to challenge-service?)`,
  );
}

/** @param url of the image that did not load */
export function warnOfImage(url: string): void {
  const { origin } = new URL(url, document.baseURI);
  warnOnce(
    `an image of ${origin} did not load. PUBLIC_URL of challenge-service must be the address at which pages reach it, and img-src of the page must allow it.`,
  );
}

/** @param form has more than one element */
export function warnOfElements(form: HTMLFormElement, count: number): void {
  console.warn(
    `Tollgate: a form has ${count} <tollgate-challenge> elements; one is enough, because all of them send the same fields.`,
    form,
  );
}

export function warnOfTexts(): void {
  console.warn(
    'Tollgate: "texts" of an element is ignored: it must be an object, or JSON with names and texts in double quotes.',
  );
}
