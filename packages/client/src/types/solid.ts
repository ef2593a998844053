// JSX types of <tollgate-challenge> for Solid: import this module once.
import type { JSX } from 'solid-js';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from './element-attributes.js';

/** Solid writes literal text into the page's HTML; an expression needs the prefix. */
type Computed<Prefix extends string, T> = {
  [Name in keyof T as Name extends string ? `${Prefix}:${Name}` : never]?: T[Name];
};

type Own = ElementAttributes &
  Computed<'attr', ElementAttributes> &
  ElementProperties &
  Computed<'prop', ElementProperties> &
  ElementListeners<'on:'>;

/** Attributes (docs/client/element.md), properties and event listeners of the element. */
export type TollgateChallengeAttributes = Omit<JSX.HTMLAttributes<TollgateChallenge>, keyof Own> & Own;

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
