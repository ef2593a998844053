// The types of <tollgate-challenge> in Vue's templates and JSX: import this module once, for its types.
import type { HTMLAttributes } from 'vue';
import type { JSX } from 'vue/jsx-runtime';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';
import type { ElementAttributes, ElementEventMap, ElementProperties } from './element-attributes.js';

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The checker of templates looks attributes up by these names; code that renders writes them with hyphens. */
type Camelized<T> = { [Name in keyof T as Name extends string ? CamelCase<Name> : never]?: T[Name] };

/** `@tollgate-error` in a template is `onTollgateError` in code. */
type Listeners = {
  [Name in keyof ElementEventMap as `on${Capitalize<CamelCase<Name>>}`]?:
    | ((event: ElementEventMap[Name]) => void)
    | undefined;
};

type Own = ElementAttributes & Camelized<ElementAttributes> & ElementProperties & Listeners;

/** The attributes in docs/client/element.md, the properties, and a listener for each event of the element. */
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
