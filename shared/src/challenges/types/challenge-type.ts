// A kind of challenge whose answer is one text: it says what is asked, and the service does the rest.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { Scope } from '../attempts/scope-ticket.js';
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

/** What a judgement may look at beside record and answer. */
export interface ChallengeTypeContext {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  /** The stream that `issue` had, from its beginning: what was asked need not be in the store. */
  readonly random: SeededRandom;
  /** Says whether a scope names the account that is tried; undefined without an account. */
  readonly isAccount: ((scope: Scope) => boolean) | undefined;
  /** Failures of that account; 0 without one. */
  readonly failures: number;
}

/** What a challenge of such a kind is made from. */
export interface IssueContext {
  readonly options: CaptchaOptions;
  readonly random: SeededRandom;
}

/** A challenge as such a kind issues it. */
export interface IssuedByType {
  /** Properties that the client gets beside `token`, `expires_in` and `expires_at`, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What the record keeps for `verify`, in clear: 1 to 4,000 characters without control characters. */
  readonly rest?: string;
}

/** A kind that judges its answers itself. Registered with every host that checks it. */
export interface VerifiedType {
  readonly name: string;
  /** Longest answer that is looked at, in characters. */
  readonly maxAnswerCharacters: number;
  /** Whether `min_seconds` applies. */
  readonly hasMinimumTime: boolean;
  /** Makes a challenge; needed in the challenge service alone. */
  issue?(about: IssueContext): IssuedByType;
  /**
   * The verdict over what the kind itself wrote into the record (`rest`) and the answer as it came. Pure.
   */
  verify(rest: string, answer: string, context: ChallengeTypeContext): 'right' | 'wrong' | 'insufficient';
  /**
   * Whether a right answer is still enough now that the account has come to `context.failures`; it always is when left
   * out. Asked after a try was counted, because others may have failed meanwhile. Pure.
   */
  isStillEnough?(rest: string, context: ChallengeTypeContext): boolean;
}

/** A kind of the operator's own did what it must not. */
export class ChallengeTypeError extends Error {}

/** The error that says so: which method of which kind, and what it did. */
export function challengeTypeFault(
  { name }: { readonly name: string },
  method: string,
  what: string,
): ChallengeTypeError {
  return new ChallengeTypeError(`${method} of the kind ${name} ${what}`);
}

/**
 * Calls a kind; of what it throws only the class is told.
 * @throws KindError
 */
export function runChallengeType<T>(kind: { readonly name: string }, method: string, work: () => T): T {
  try {
    const made = work();
    // Kinds are not waited for. Who looks at a promise refuses it; its own failure must not end the process.
    if (made instanceof Promise) made.catch(() => {});
    return made;
  } catch (error) {
    const thrown = error instanceof Error ? error.name : 'something that is no error';
    throw challengeTypeFault(kind, method, `threw ${thrown}`);
  }
}
