// Options for fetching, solving and controlling challenges.

import type { SearchProgress, Solver, SolverState } from '../solver/solver.js';

/** Where and how to fetch challenges. */
export interface FetchOptions {
  /** The origin of the challenge service; same origin by default. */
  readonly baseUrl?: string | undefined;
  /** `CAPTCHA_ROUTES_PREFIX` of the service; `api/captcha` by default. */
  readonly prefix?: string | undefined;
  /** Passed to every `fetch`, e.g. `{ credentials: 'include' }`. */
  readonly fetchOptions?: RequestInit | undefined;
  /** Ticket (`pow_scope`) from the last error response; the service prices the work by the account's failures. */
  readonly scope?: string | undefined;
  /** Lowest difficulty that the form accepts, in bits; error responses contain it (`pow_min_difficulty`). */
  readonly minDifficulty?: number | undefined;
  /**
   * Algorithms in order of preference, e.g. `['hashwx-1', 'sha256']`; `sha256` by default. The service uses the first
   * that it accepts, or `sha256`. Without WebAssembly only `sha256` is requested.
   */
  readonly algorithms?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Solver options. */
export interface SolveOptions {
  /** Maximum hashes between two pauses on the main thread, 25,000 by default; workers pause by time only. */
  readonly chunkSize?: number | undefined;
  /** Hash limit of the search, 300,000,000 by default; for `effort`, per part. `Infinity` never gives up. */
  readonly maxHashes?: number | undefined;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Solver to reuse; by default a new one is opened and closed afterwards. */
  readonly solver?: Solver | undefined;
  /** Worker URL for the new solver, if a bundler moves the file. */
  readonly workerUrl?: string | URL | undefined;
}

/** Solution of an `effort` challenge. */
export interface SolvedEffort {
  /** Value of the answer field: the nonces of the parts (for HashWX, numbers), joined by dots. */
  readonly answer: string;
  readonly hashes: number;
  readonly ms: number;
  readonly state: SolverState;
}

/** The options of `solveEffort`. */
export interface SolveEffortOptions extends Omit<SolveOptions, 'onProgress'> {
  /**
   * Also called with zero progress when a part begins.
   * @param part index of the current part; HashWX searches all parts together, and this estimates the solved parts
   * @param all total progress of all parts
   */
  readonly onProgress?: ((progress: SearchProgress, part: number, all: SearchProgress) => void) | undefined;
}

/** Names of the four submission fields, as set by `CAPTCHA_POW_FIELDS_*` and `CAPTCHA_FIELDS_*`. */
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
   * `demanded` (default): an image only after a response with `captcha_required`; `always`: for forms guarded by
   * `captcha`; `never`: for forms that never check an image.
   */
  readonly image?: 'demanded' | 'always' | 'never' | undefined;
  /** Whether the form is guarded by proof of work; true by default. */
  readonly pow?: boolean | undefined;
  /** Image preset; the service's default if omitted. */
  readonly preset?: string | undefined;
  /** Whether to fetch the first challenges at once; true by default. If false, `touch`, `refresh` or `take` starts. */
  readonly autoStart?: boolean | undefined;
  /** Closes the challenge on abort. */
  readonly signal?: AbortSignal | undefined;
}
