// The JSX types of <tollgate-challenge>, with attributes, properties and listeners as React 19 sets them.

import type { HTMLAttributes, RefAttributes } from 'react';
import type { ChallengeController } from '../challenge/controller.js';
import type { Texts } from '../element/languages.js';
import type { TollgateChallenge } from '../element/tollgate-challenge.js';

/** The attributes in docs/client/element.md, the property `controller`, and a listener for each event of the element. */
export interface TollgateChallengeAttributes
  extends Omit<HTMLAttributes<TollgateChallenge>, 'prefix'>,
    RefAttributes<TollgateChallenge> {
  controller?: ChallengeController | null;
  'base-url'?: string;
  prefix?: string;
  credentials?: RequestCredentials;
  'pow-token-name'?: string;
  'pow-nonce-name'?: string;
  'captcha-token-name'?: string;
  'captcha-name'?: string;
  image?: 'demanded' | 'always' | 'never';
  'no-pow'?: boolean;
  preset?: string;
  'chunk-size'?: number;
  'max-hashes'?: number;
  'worker-url'?: string;
  'hold-submit'?: boolean;
  disabled?: boolean;
  start?: 'load' | 'focus' | 'submit';
  display?: 'inline' | 'floating' | 'invisible';
  texts?: Partial<Texts>;
  'captcha-required'?: boolean;
  'captcha-alternatives'?: string;
  'pow-scope'?: string;
  onstatuschange?: (event: Event) => void;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tollgate-challenge': TollgateChallengeAttributes;
    }
  }
}
