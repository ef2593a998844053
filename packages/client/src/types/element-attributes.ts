// Attributes, properties and listeners of <tollgate-challenge> for all frameworks.
import type { ChallengeController } from '../challenge/controller.js';
import type { Display, Start } from '../element/attributes.js';
import type { TollgateEventMap } from '../element/events.js';
import type { Texts } from '../element/languages.js';

type AttributeNumber = number | `${number}`;

/**
 * Attributes, as in docs/client/element.md.
 * @typeParam Flag value that sets an attribute without a value. Most frameworks write `false` as the text "false", which
 *   sets it too; undefined removes it everywhere
 */
export interface ElementAttributes<Flag extends boolean = true> {
  'base-url'?: string | undefined;
  prefix?: string | undefined;
  credentials?: RequestCredentials | undefined;
  'pow-token-name'?: string | undefined;
  'pow-nonce-name'?: string | undefined;
  'captcha-token-name'?: string | undefined;
  'captcha-name'?: string | undefined;
  image?: 'demanded' | 'always' | 'never' | undefined;
  'no-pow'?: Flag | '' | undefined;
  preset?: string | undefined;
  algorithms?: string | undefined;
  'chunk-size'?: AttributeNumber | undefined;
  'max-hashes'?: AttributeNumber | undefined;
  'worker-url'?: string | undefined;
  start?: Start | undefined;
  display?: Display | undefined;
  'hold-submit'?: Flag | '' | undefined;
  'captcha-required'?: Flag | '' | undefined;
  'captcha-alternatives'?: string | undefined;
  'pow-scope'?: string | undefined;
}

/** Properties that a template may set. */
export interface ElementProperties {
  controller?: ChallengeController | null | undefined;
  disabled?: boolean | undefined;
  /** An object or its JSON. */
  texts?: Partial<Texts> | string | undefined;
}

/** Events of the element, except those of every field. */
export interface ElementEventMap extends TollgateEventMap {
  /** `status` has changed; it does not bubble. */
  statuschange: Event;
}

/** A listener for each event. @typeParam Prefix event name prefix of the framework */
export type ElementListeners<Prefix extends string> = {
  [Name in keyof ElementEventMap as `${Prefix}${Name}`]?:
    | ((event: ElementEventMap[Name]) => void)
    | undefined;
};
