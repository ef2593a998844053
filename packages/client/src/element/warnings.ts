// Console warnings of the element about problems that need a change to the page or the service.

import { warnOnce } from '../warn-once.js';

/** @param error one with the code `wrong_setup` */
export function warnOfSetup({ message }: Error): void {
  warnOnce(
    globalThis.origin === 'null'
      ? 'the service rejects pages without an origin: serve the page over http(s); a sandboxed frame needs allow-same-origin.'
      : `the service returned no challenge: ${message} (Check base-url, prefix and preset of the element, and the gateway's route to challenge-service.)`,
  );
}

/** @param url URL of the missing image */
export function warnOfImage(url: string): void {
  const { origin } = new URL(url, document.baseURI);
  warnOnce(
    `an image of ${origin} did not load. PUBLIC_URL of challenge-service must be its public address, and the page's img-src must allow it.`,
  );
}

/** @param form has more than one element */
export function warnOfElements(form: HTMLFormElement, count: number): void {
  console.warn(
    `Tollgate: a form has ${count} <tollgate-challenge> elements; use one, because all of them send the same fields.`,
    form,
  );
}

export function warnOfTexts(): void {
  console.warn(
    'Tollgate: "texts" of an element is ignored: it must be an object, or JSON with names and texts in double quotes.',
  );
}
