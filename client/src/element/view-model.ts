// What the views of the element are made from at one moment.

import type { ChallengeState } from '../challenge/challenge-state.js';
import type { Language, Texts } from './texts.js';

/** One moment of the element. */
export interface Shown {
  readonly state: ChallengeState;
  readonly language: Language;
  readonly texts: Texts;
  /** Whole seconds until the service allows the next request; 0 when it may be made. */
  readonly waitSeconds: number;
  /** An image is part of this form now, also while it is still on its way. */
  readonly demanded: boolean;
  /** A person has chosen work in place of the image. */
  readonly effortChosen: boolean;
  /** The form has switched the element off. */
  readonly disabled: boolean;
}

/** A part of the shadow tree that follows it. */
export interface View {
  readonly node: HTMLElement;
  show(shown: Shown): void;
}
