// A kind of challenge on the image endpoint whose answer is not one text: it brings its own judgement.

import type { KeyRing } from '../../crypto/key-ring.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';
import type { Scope } from '../attempts/scope-ticket.js';
import type { SeededRandom } from './seeded-random.js';

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
