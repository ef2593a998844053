// The form element: importing this module defines <tollgate-challenge>.
import { addLanguage, type Direction, type TextKey, type Texts } from './element/languages.js';
import { TollgateChallenge } from './element/tollgate-challenge.js';

declare global {
  interface HTMLElementTagNameMap {
    'tollgate-challenge': TollgateChallenge;
  }
}

const name = 'tollgate-challenge';

// Defined only where there is a DOM, and only once if a page loads two copies of the package.
if (globalThis.customElements?.get(name) === undefined) {
  globalThis.customElements?.define(name, TollgateChallenge);
}

export { addLanguage, type Direction, type TextKey, type Texts, TollgateChallenge };
