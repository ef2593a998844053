// The state of a form's challenges: an immutable snapshot.

import type { PowGaveUpError } from '../solver/errors.js';
import type { SolverState } from '../solver/solver.js';
import type { CaptchaRequestError } from './errors.js';

/**
 * - `idle`: nothing is under way: not started, taken, closed, or expired while nobody used the form
 * - `solving`: a challenge is being fetched or solved
 * - `ready`: `fields` are available: the work is done and, if an image is required, it is displayed or its effort is solved
 * - `error`: the last attempt failed, and `error` says why. `touch`, `refresh`, `take` and `submit` try again
 */
export type ChallengeStatus = 'idle' | 'solving' | 'ready' | 'error';

/** The progress of a search. */
export interface WorkProgress {
  /** Leading zero bits to find. */
  readonly difficulty: number;
  readonly hashes: number;
  /** Milliseconds since the search began. */
  readonly ms: number;
  /** The probability, from 0 to 1, that a search is done after this many hashes. */
  readonly chance: number;
}

/** An image whose characters the person types. */
export interface ShownImage {
  readonly kind: 'image';
  readonly url: string;
  /** The characters that can occur; undefined if the service does not say. */
  readonly characters: string | undefined;
  /** The image has expired: the typed answer stays, but only a new image can be answered. */
  readonly expired: boolean;
}

/** Work in place of an image, in parts that are solved one after the other. */
export interface ShownEffort {
  readonly kind: 'effort';
  /** Solved parts. */
  readonly part: number;
  readonly parts: number;
  readonly solved: boolean;
  /** Of the part that is being searched. */
  readonly progress: WorkProgress;
  /** Of all parts together. */
  readonly all: Pick<WorkProgress, 'hashes' | 'ms'>;
}

/** An immutable snapshot; each change creates a new one. */
export interface ChallengeState {
  readonly status: ChallengeStatus;
  /** The proof of work; null before the first is fetched. */
  readonly work: WorkProgress | null;
  /** How the work is done; null before the first search. */
  readonly solver: SolverState | null;
  /** Whether the next submission requires an image answer, by the last refusal. */
  readonly captchaRequired: boolean;
  /** The image or effort to display; null if there is none. */
  readonly captcha: ShownImage | ShownEffort | null;
  /** The code of the last refusal (`captcha_invalid` …); null before the first, and after a success. */
  readonly refusal: string | null;
  /** What can replace the image, e.g. `['effort']`, by the last refusal. */
  readonly alternatives: readonly string[];
  /** The last failure. It can stand beside `ready`, if a new image could not be fetched and the old one can still be sent. */
  readonly error: CaptchaRequestError | PowGaveUpError | Error | null;
  /** After a 429 or another answer with `Retry-After`: when the next request is allowed, in epoch milliseconds. */
  readonly retryAtMs: number | null;
}

/** The state without a controller: in a new element, in a component that is not mounted, on a server. */
export const idleState: ChallengeState = Object.freeze({
  status: 'idle',
  work: null,
  solver: null,
  captchaRequired: false,
  captcha: null,
  refusal: null,
  alternatives: [],
  error: null,
  retryAtMs: null,
});
