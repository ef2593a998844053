// Types of <tollgate-challenge> for Vue templates and JSX: import this module once.
import type { HTMLAttributes } from 'vue';
import type { JSX } from 'vue/jsx-runtime';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementEventMap, ElementProperties } from './element-attributes.js';

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Template type checks use these names; render functions write them with hyphens. */
type Camelized<T> = { [Name in keyof T as Name extends string ? CamelCase<Name> : never]?: T[Name] };

/** `@tollgate-error` in a template is `onTollgateError` in code. */
type Listeners = {
  [Name in keyof ElementEventMap as `on${Capitalize<CamelCase<Name>>}`]?:
    | ((event: ElementEventMap[Name]) => void)
    | undefined;
};

type Own = ElementAttributes & Camelized<ElementAttributes> & ElementProperties & Listeners;

/** Attributes (docs/client/element.md), properties and event listeners of the element. */
export type TollgateChallengeAttributes = Omit<HTMLAttributes & JSX.IntrinsicAttributes, keyof Own> & Own;

declare module 'vue' {
  interface GlobalComponents {
    'tollgate-challenge': new () => TollgateChallenge & { $props: TollgateChallengeAttributes };
  }
}

declare module 'vue/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
