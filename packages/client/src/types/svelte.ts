// Types of <tollgate-challenge> for Svelte templates: import this module once.
import type { HTMLAttributes } from 'svelte/elements';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

type Own = ElementAttributes & ElementProperties & ElementListeners<'on'>;

/** Attributes (docs/client/element.md), properties and event listeners of the element. */
export type TollgateChallengeAttributes = Omit<HTMLAttributes<TollgateChallenge>, keyof Own> & Own;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tollgate-challenge': TollgateChallengeAttributes;
  }
}
