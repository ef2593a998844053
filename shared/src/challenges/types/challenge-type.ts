// The interfaces of challenge types: with one answer, and with verification of their own.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { Scope } from '../attempts/scope-ticket.js';
import type { SeededRandom } from './answer-hashing.js';

/** The input of a type with one answer. */
export interface MakeContext {
  /** The only source of randomness: the challenge is made again to draw its image, and must be the same. */
  readonly random: SeededRandom;
  /** The group `phrase` of the preset. */
  readonly phrase: {
    readonly length: number;
    readonly alphabet: string;
    readonly ignore_capitals: boolean;
  };
}

/** A challenge from a type with one answer. */
export interface MadeChallenge {
  /** The correct answer, at most 64 characters. `phrase.ignore_capitals` of the preset decides about case. Never sent. */
  readonly answer: string;
  /** Properties that the client receives besides `token`, `expires_in` and `expires_at`, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The text in the image. Without it there is no image and no `url`. */
  readonly text?: string;
}

/**
 * A type with one answer. Only the challenge service needs it: the record contains the hash of the answer, so applications
 * can verify it without the type.
 */
export interface AnswerType {
  readonly name: string;
  /** Whether `min_seconds` applies; true by default. */
  readonly hasMinimumTime?: boolean;
  /** Makes a challenge. Pure: the result depends on `about` alone. */
  make(about: MakeContext): MadeChallenge;
}

/** The context of `verify` besides record and answer. */
export interface ChallengeTypeContext {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  /** The random stream of `issue`, from its beginning, so that the store need not keep the question. */
  readonly random: SeededRandom;
  /** Returns whether a scope names the attempted account; undefined without an account. */
  readonly isAccount: ((scope: Scope) => boolean) | undefined;
  /** Failures of that account; 0 without one. */
  readonly failures: number;
}

/** The input of a type that verifies its own answers. */
export interface IssueContext {
  readonly options: CaptchaOptions;
  readonly random: SeededRandom;
}

/** A challenge from such a type. */
export interface IssuedByType {
  /** Properties that the client receives besides `token`, `expires_in` and `expires_at`, as JSON. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The record's data for `verify`, unencrypted: 1 to 4,000 characters without control characters. */
  readonly rest?: string;
}

/** A type that verifies its own answers. Every application that verifies it needs it. */
export interface VerifiedType {
  readonly name: string;
  /** The longest accepted answer, in characters. */
  readonly maxAnswerCharacters: number;
  /** Whether `min_seconds` applies. */
  readonly hasMinimumTime: boolean;
  /** Makes a challenge. Only the challenge service calls it. */
  issue?(about: IssueContext): IssuedByType;
  /**
   * Verifies the answer as sent against the record's `rest`. Pure.
   */
  verify(rest: string, answer: string, context: ChallengeTypeContext): 'right' | 'wrong' | 'insufficient';
  /**
   * Returns whether a correct answer still suffices for an account with `context.failures`; always if missing. Called after
   * an attempt was counted, because other attempts may have failed meanwhile. Pure.
   */
  isStillEnough?(rest: string, context: ChallengeTypeContext): boolean;
}

/** A challenge type of the operator failed. The message never quotes its error, which may contain an answer. */
export class ChallengeTypeError extends Error {}

/** Returns the error that names the method, the type and the fault. */
export function challengeTypeFault(
  { name }: { readonly name: string },
  method: string,
  what: string,
): ChallengeTypeError {
  return new ChallengeTypeError(`${method} of the kind ${name} ${what}`);
}

/**
 * Calls a challenge type.
 * @throws ChallengeTypeError with the class of an error that the type throws
 */
export function runChallengeType<T>(type: { readonly name: string }, method: string, work: () => T): T {
  try {
    const made = work();
    // Types are synchronous: a returned promise is a mistake, and its rejection must not end the process.
    if (made instanceof Promise) made.catch(() => {});
    return made;
  } catch (error) {
    const thrown = error instanceof Error ? error.name : 'a non-error value';
    throw challengeTypeFault(type, method, `threw ${thrown}`);
  }
}
