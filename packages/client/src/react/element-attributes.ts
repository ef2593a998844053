// The JSX types of <tollgate-challenge>, with attributes, properties and listeners as React 19 sets them.

import type { HTMLAttributes, RefAttributes } from 'react';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementListeners, ElementProperties } from '../types/element-attributes.js';

/** The attributes in docs/client/element.md, the properties, and a listener for each event of the element. */
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
