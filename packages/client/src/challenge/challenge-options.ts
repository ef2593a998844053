// The options for fetching, solving and controlling challenges.

import type { SearchProgress, Solver, SolverState } from '../solver/solver.js';

/** Where and how to fetch challenges. */
export interface FetchOptions {
  /** The origin of the challenge service; same origin by default. */
  readonly baseUrl?: string | undefined;
  /** `CAPTCHA_ROUTES_PREFIX` of the service; `api/captcha` by default. */
  readonly prefix?: string | undefined;
  /** Passed to every `fetch`, e.g. `{ credentials: 'include' }`. */
  readonly fetchOptions?: RequestInit | undefined;
  /** The ticket (`pow_scope`) of the last refusal; the service prices the work by the failures of its account. */
  readonly scope?: string | undefined;
  /** The fewest bits of work that the form accepts; its refusals report it (`pow_min_difficulty`). */
  readonly minDifficulty?: number | undefined;
  /**
   * Algorithms of work, the preferred one first, e.g. `['hashwx-1', 'sha256']`; `sha256` by default. The service issues the
   * first that it accepts, or `sha256`. Without WebAssembly nothing but `sha256` is asked for.
   */
  readonly algorithms?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How to solve challenges. */
export interface SolveOptions {
  /** The most hashes between two pauses on the main thread, 25,000 by default; workers pause by time alone. */
  readonly chunkSize?: number | undefined;
  /** Hashes before the search gives up, 300,000,000 by default; for `effort`, in each part. `Infinity` never gives up. */
  readonly maxHashes?: number | undefined;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A solver to reuse; by default one is opened, and closed afterwards. */
  readonly solver?: Solver | undefined;
  /** URL of the worker's file for the solver that is opened, if a bundler moves it. */
  readonly workerUrl?: string | URL | undefined;
}

/** The answer to an `effort` challenge. */
export interface SolvedEffort {
  /** The nonces, or for HashWX the numbers, of the parts, joined by dots: the value of the answer field. */
  readonly answer: string;
  readonly hashes: number;
  readonly ms: number;
  readonly state: SolverState;
}

/** The options of `solveEffort`. */
export interface SolveEffortOptions extends Omit<SolveOptions, 'onProgress'> {
  /**
   * Also called with zero progress when a part begins.
   * @param part index of the part that is being searched; the parts of HashWX are searched together, and it is about as
   * many as should be solved by now
   * @param all the progress of all parts together
   */
  readonly onProgress?: ((progress: SearchProgress, part: number, all: SearchProgress) => void) | undefined;
}

/** The names of the four fields in a submission, as set by `CAPTCHA_POW_FIELDS_*` and `CAPTCHA_FIELDS_*`. */
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
   * `captcha`; `never`: for forms that never check an image.
   */
  readonly image?: 'demanded' | 'always' | 'never' | undefined;
  /** Whether the form is guarded by proof of work; true by default. */
  readonly pow?: boolean | undefined;
  /** The preset of the images; the service's default if omitted. */
  readonly preset?: string | undefined;
  /** Whether to fetch the first challenges at once; true by default. If false, `touch`, `refresh` or `take` begins. */
  readonly autoStart?: boolean | undefined;
  /** Closes the challenge when it aborts. */
  readonly signal?: AbortSignal | undefined;
}
