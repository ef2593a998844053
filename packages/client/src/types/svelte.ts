// The types of <tollgate-challenge> in Svelte's templates: import this module once, for its types.
import type { HTMLAttributes } from 'svelte/elements';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

type Own = ElementAttributes & ElementProperties & ElementListeners<'on'>;

/** The attributes in docs/client/element.md, the properties, and a listener for each event of the element. */
export type TollgateChallengeAttributes = Omit<HTMLAttributes<TollgateChallenge>, keyof Own> & Own;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tollgate-challenge': TollgateChallengeAttributes;
  }
}
