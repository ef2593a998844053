// The JSX types of <tollgate-challenge> in Solid: import this module once, for its types.
import type { JSX } from 'solid-js';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

/** Solid writes a text into the page's HTML; what an expression computes needs the prefix. */
type Computed<Prefix extends string, T> = {
  [Name in keyof T as Name extends string ? `${Prefix}:${Name}` : never]?: T[Name];
};

type Own = ElementAttributes &
  Computed<'attr', ElementAttributes> &
  ElementProperties &
  Computed<'prop', ElementProperties> &
  ElementListeners<'on:'>;

/** The attributes in docs/client/element.md, the properties, and a listener for each event of the element. */
export type TollgateChallengeAttributes = Omit<JSX.HTMLAttributes<TollgateChallenge>, keyof Own> & Own;

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
