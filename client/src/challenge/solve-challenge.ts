// Solves proofs of work and effort challenges.

import { notifyListener } from '../listeners.js';
import { type Found, openSolver, type Solver } from '../solver/solver.js';
import type { EffortChallenge, PowChallenge } from '../wire.js';
import type {
  FetchOptions,
  FieldNames,
  SolvedEffort,
  SolveEffortOptions,
  SolveOptions,
} from './challenge-options.js';
import { fetchPowChallenge } from './fetch-challenge.js';

/**
 * Searches for a nonce so that SHA-256(salt ‖ nonce) begins with `difficulty` zero bits.
 * @throws PowGaveUpError after `maxHashes` hashes: the difficulty is too high for a browser
 * @throws TypeError if the algorithm is not SHA-256
 */
export async function solvePow(
  { salt, difficulty, algorithm }: Pick<PowChallenge, 'salt' | 'difficulty' | 'algorithm'>,
  options: SolveOptions = {},
): Promise<Found> {
  requireSha256(algorithm);
  return withSolver(options, (solver) => solver.search({ head: salt, difficulty }, options));
}

/**
 * Solves the parts of an `effort` challenge one after the other. `maxHashes` applies to each part.
 * @throws what `solvePow` throws
 */
export async function solveEffort(
  challenge: Pick<EffortChallenge, 'salt' | 'parts' | 'part_difficulty' | 'algorithm'>,
  { onProgress, ...options }: SolveEffortOptions = {},
): Promise<SolvedEffort> {
  requireSha256(challenge.algorithm);
  // Few people choose work in place of an image.
  const { searchParts } = await import('./search-parts.js');
  return withSolver(options, (solver) =>
    searchParts(solver, challenge, options, (...progress) => notifyListener(onProgress, ...progress)),
  );
}

/** The options of `obtainPow`. */
export interface ObtainOptions extends FetchOptions, SolveOptions {
  readonly fields?: Pick<FieldNames, 'pow_token' | 'pow_nonce'> | undefined;
}

/** Fetches a proof of work, solves it, and returns the two fields of the submission. */
export async function obtainPow(options: ObtainOptions = {}): Promise<Record<string, string>> {
  const challenge = await fetchPowChallenge(options);
  const { nonce } = await solvePow(challenge, options);
  const { pow_token = 'pow_token', pow_nonce = 'pow_nonce' } = options.fields ?? {};
  return { [pow_token]: challenge.token, [pow_nonce]: nonce };
}

function requireSha256(algorithm: string): void {
  if (algorithm === 'sha256') return;
  throw new TypeError(
    `The service requires the algorithm "${algorithm}", which this version does not support.`,
  );
}

async function withSolver<T>(options: SolveOptions, use: (solver: Solver) => Promise<T>): Promise<T> {
  if (options.solver !== undefined) return use(options.solver);
  const solver = openSolver(options.workerUrl === undefined ? {} : { workerUrl: options.workerUrl });
  try {
    return await use(solver);
  } finally {
    solver.close();
  }
}
