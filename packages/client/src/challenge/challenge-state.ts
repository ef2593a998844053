// State of a form's challenges: an immutable snapshot.

import type { PowGaveUpError } from '../solver/errors.js';
import type { SolverState } from '../solver/solver.js';
import type { CaptchaRequestError } from './errors.js';

/**
 * - `idle`: no activity: not started, taken, closed, or expired while the form was not in use
 * - `solving`: a challenge is being fetched or solved
 * - `ready`: `fields` are available: the work is done and, if an image is required, it is displayed or its effort is solved
 * - `error`: the last attempt failed with `error`. `touch`, `refresh`, `take` and `submit` try again
 */
export type ChallengeStatus = 'idle' | 'solving' | 'ready' | 'error';

/** Search progress. */
export interface WorkProgress {
  /** Required leading zero bits. */
  readonly difficulty: number;
  readonly hashes: number;
  /** Milliseconds since the search began. */
  readonly ms: number;
  /** Probability, from 0 to 1, that a search is done after this many hashes. */
  readonly chance: number;
}

/** Image whose characters the person types. */
export interface ShownImage {
  readonly kind: 'image';
  readonly url: string;
  /** Possible characters; undefined if the service does not list them. */
  readonly characters: string | undefined;
  /** True after expiry: the typed answer stays, but only a new image can be answered. */
  readonly expired: boolean;
}

/** Work in place of an image, in parts solved one after the other. */
export interface ShownEffort {
  readonly kind: 'effort';
  /** Solved parts. */
  readonly part: number;
  readonly parts: number;
  readonly solved: boolean;
  /** Progress of the current part. */
  readonly progress: WorkProgress;
  /** Total of all parts. */
  readonly all: Pick<WorkProgress, 'hashes' | 'ms'>;
}

/** An immutable snapshot; each change creates a new one. */
export interface ChallengeState {
  readonly status: ChallengeStatus;
  /** The proof of work; null before the first is fetched. */
  readonly work: WorkProgress | null;
  /** Solver state; null before the first search. */
  readonly solver: SolverState | null;
  /** Whether the next submission requires an image answer, according to the last error response. */
  readonly captchaRequired: boolean;
  /** The image or effort to display; null if there is none. */
  readonly captcha: ShownImage | ShownEffort | null;
  /** Code of the last error response (`captcha_invalid` …); null before the first, and after a success. */
  readonly refusal: string | null;
  /** Alternatives to the image, e.g. `['effort']`, from the last error response. */
  readonly alternatives: readonly string[];
  /** Last failure. Possible with `ready` too: when a new image could not be fetched and the old one can still be sent. */
  readonly error: CaptchaRequestError | PowGaveUpError | Error | null;
  /** After a 429 or another response with `Retry-After`: time of the next allowed request, in epoch milliseconds. */
  readonly retryAtMs: number | null;
}

/** State without a controller: in a new element, in an unmounted component, on a server. */
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
