// What is known of a form's challenges at one moment.

import type { PowGaveUpError } from '../solver/errors.js';
import type { SolverState } from '../solver/solver.js';
import type { CaptchaRequestError } from './errors.js';

/**
 * - `idle`: nothing is on its way: not started, handed out, closed, or too old while nobody was at the form
 * - `solving`: a challenge is being fetched or worked on
 * - `ready`: `fields` are available: the work is done and, when an image is demanded, it is shown or its effort is solved
 * - `error`: the last try failed, and `error` says why. `touch`, `refresh`, `take` and `submit` try again
 */
export type ChallengeStatus = 'idle' | 'solving' | 'ready' | 'error';

/** How far a search has come. */
export interface WorkProgress {
  /** Leading zero bits that are searched for. */
  readonly difficulty: number;
  readonly hashes: number;
  /** Milliseconds since the search began. */
  readonly ms: number;
  /** How probable it was to be done by now, from 0 to 1. */
  readonly chance: number;
}

/** An image whose characters are to be typed. */
export interface ShownImage {
  readonly kind: 'image';
  readonly url: string;
  /** Its time is over: what was typed stays, but only a new image can be answered. */
  readonly expired: boolean;
}

/** Work in place of an image: so many parts, one after the other. */
export interface ShownEffort {
  readonly kind: 'effort';
  /** Parts that are solved. */
  readonly part: number;
  readonly parts: number;
  readonly solved: boolean;
  /** Of the part that is being searched for. */
  readonly progress: WorkProgress;
}

/** An immutable snapshot; each change makes a new one. */
export interface ChallengeState {
  readonly status: ChallengeStatus;
  /** The proof of work; null before the first is fetched. */
  readonly work: WorkProgress | null;
  /** How the work is done; null before the first search. */
  readonly solver: SolverState | null;
  /** Whether the next submission has to answer an image, as the last refusal said. */
  readonly captchaRequired: boolean;
  /** What is shown in answer to that; null while there is nothing to show. */
  readonly captcha: ShownImage | ShownEffort | null;
  /** What may be chosen in place of the image, e.g. `['effort']`, as the last refusal said. */
  readonly alternatives: readonly string[];
  /** What the last try failed with. It may stand beside `ready`, when a new image could not be had and the old one can still be sent. */
  readonly error: CaptchaRequestError | PowGaveUpError | Error | null;
  /** After a 429, or another answer with `Retry-After`: when the next request is allowed, in epoch milliseconds. */
  readonly retryAtMs: number | null;
}
