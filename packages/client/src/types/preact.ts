// JSX types of <tollgate-challenge> for Preact: import this module once.
import type { JSX, Ref } from 'preact';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

type Own = ElementAttributes &
  ElementProperties &
  ElementListeners<'on'> & { ref?: Ref<TollgateChallenge> | undefined };

/** Attributes (docs/client/element.md), properties and event listeners of the element. */
export type TollgateChallengeAttributes = Omit<JSX.IntrinsicElements['div'], keyof Own> & Own;

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
