// The options of everything that asks for challenges.

import type { SearchProgress, Solver } from '../solver/solver.js';

/** Where challenges are asked for, and how. */
export interface FetchOptions {
  /** The origin of the challenge service; same origin by default. */
  readonly baseUrl?: string | undefined;
  /** `CAPTCHA_ROUTES_PREFIX` of the service; `api/captcha` by default. */
  readonly prefix?: string | undefined;
  /** Goes into every `fetch`, e.g. `{ credentials: 'include' }`. */
  readonly fetchOptions?: RequestInit | undefined;
  /** The ticket (`pow_scope`) of the last refusal, which has the work priced for that account. */
  readonly scope?: string | undefined;
  /** The least bits of work, for a form that accepts no less; such a form says so when it refuses (`pow_min_difficulty`). */
  readonly minDifficulty?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How challenges are solved. */
export interface SolveOptions {
  /** The most guesses between two pauses on the main thread, 25,000 by default; workers pause by the time alone. */
  readonly chunkSize?: number | undefined;
  /** Guesses before giving up, 300,000,000 by default; for `effort` in each part. `Infinity` never gives up. */
  readonly maxHashes?: number | undefined;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A solver that is used again; by default one is opened and closed. */
  readonly solver?: Solver | undefined;
  /** Where a bundler or another origin puts the worker file of the solver that is opened. */
  readonly workerUrl?: string | URL | undefined;
}

/** The names of the four fields in a submission, as `CAPTCHA_POW_FIELDS_*` and `CAPTCHA_FIELDS_*` have them. */
export interface FieldNames {
  /** `pow_token` by default. */
  readonly pow_token?: string | undefined;
  /** `pow_nonce` by default. */
  readonly pow_nonce?: string | undefined;
  /** `captcha_token` by default. */
  readonly captcha_token?: string | undefined;
  /** `captcha` by default. */
  readonly captcha?: string | undefined;
}

/** The options of `createChallenge`. */
export interface ChallengeOptions extends Omit<FetchOptions, 'scope'>, SolveOptions {
  readonly fields?: FieldNames | undefined;
  /**
   * `demanded` (default): an image only after a refusal with `captcha_required`; `always`: for forms guarded by
   * `captcha`; `never`: for forms that check no image.
   */
  readonly image?: 'demanded' | 'always' | 'never' | undefined;
  /** Whether the form is guarded by proof of work; true by default. */
  readonly pow?: boolean | undefined;
  /** The preset of the images; the service's default unless said. */
  readonly preset?: string | undefined;
  /** Fetches the first challenges at once; true by default. Otherwise `touch`, `refresh` or `take` begins. */
  readonly autoStart?: boolean | undefined;
  /** Ends everything, like `close`. */
  readonly signal?: AbortSignal | undefined;
}
