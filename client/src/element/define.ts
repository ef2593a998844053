// Makes the name of the element known to the browser.

import { TollgateChallenge } from './tollgate-challenge.js';

declare global {
  interface HTMLElementTagNameMap {
    'tollgate-challenge': TollgateChallenge;
  }
}

const name = 'tollgate-challenge';

// Not where there is no DOM, and not twice when two copies of the package are on a page.
if (globalThis.customElements?.get(name) === undefined) {
  globalThis.customElements?.define(name, TollgateChallenge);
}
