// A kind of challenge whose answer is one text: it says what is asked, and the service does the rest.

import type { SeededRandom } from './seeded-random.js';

/** What a challenge is made from. */
export interface MakeContext {
  /** The only source of chance: a challenge is made again when its image is drawn, and must come out the same. */
  readonly random: SeededRandom;
  /** The group `phrase` of the preset. */
  readonly phrase: {
    readonly length: number;
    readonly alphabet: string;
    readonly ignore_capitals: boolean;
  };
}

/** A challenge as its kind makes it. */
export interface MadeChallenge {
  /** The right answer, at most 64 characters; compared as the preset's `phrase.ignore_capitals` says. Never sent. */
  readonly answer: string;
  /** Properties that the client gets beside `token`, `expires_in` and `expires_at`, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What an image shows; without it there is no image, and no `url`. */
  readonly text?: string;
}

/**
 * A kind whose answer is one text. Registered with the challenge service alone: the record holds the scrambled answer,
 * so whoever checks it need not know the kind.
 */
export interface AnswerType {
  readonly name: string;
  /** Whether `min_seconds` applies; it does when left out. */
  readonly hasMinimumTime?: boolean;
  /** Pure: what it returns depends on `about` alone. */
  make(about: MakeContext): MadeChallenge;
}
