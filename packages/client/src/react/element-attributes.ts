// JSX types of <tollgate-challenge>, with attributes, properties and listeners as React 19 sets them.

import type { HTMLAttributes, RefAttributes } from 'react';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from '../types/element-attributes.js';

/** Attributes (docs/client/element.md), properties and event listeners of the element. */
export interface TollgateChallengeAttributes
  extends Omit<HTMLAttributes<TollgateChallenge>, keyof ElementAttributes>,
    RefAttributes<TollgateChallenge>,
    ElementAttributes<boolean>,
    ElementProperties,
    ElementListeners<'on'> {}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
