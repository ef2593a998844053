// Form element: importing this module defines <tollgate-challenge>.
import type { TollgateEventMap } from './element/events.js';
import { addLanguage, type Direction, type TextKey, type Texts } from './element/languages.js';
import { TollgateChallenge } from './element/tollgate-challenge.js';

declare global {
  /** They bubble, so that forms and documents receive them as well. */
  interface GlobalEventHandlersEventMap extends TollgateEventMap {}
  interface HTMLElementTagNameMap {
    'tollgate-challenge': TollgateChallenge;
  }
}

const name = 'tollgate-challenge';

// Defined only with a DOM, and only once if a page loads two copies of the package.
if (globalThis.customElements?.get(name) === undefined) {
  globalThis.customElements?.define(name, TollgateChallenge);
}

export type { ErrorDetail, ProgressDetail, TollgateEventMap } from './element/events.js';
export { addLanguage, type Direction, type TextKey, type Texts, TollgateChallenge };
