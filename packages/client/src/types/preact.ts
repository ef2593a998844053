// The JSX types of <tollgate-challenge> in Preact: import this module once, for its types.
import type { JSX, Ref } from 'preact';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

type Own = ElementAttributes &
  ElementProperties &
  ElementListeners<'on'> & { ref?: Ref<TollgateChallenge> | undefined };

/** The attributes in docs/client/element.md, the properties, and a listener for each event of the element. */
export type TollgateChallengeAttributes = Omit<JSX.IntrinsicElements['div'], keyof Own> & Own;

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
