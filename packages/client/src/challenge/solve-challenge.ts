// Solves proofs of work and effort challenges.

import { notifyListener } from '../listeners.js';
import { type Found, type HashwxTask, openSolver, type Solver } from '../solver/solver.js';
import type { EffortChallenge, PowChallenge } from '../wire.js';
import type {
  FetchOptions,
  FieldNames,
  SolvedEffort,
  SolveEffortOptions,
  SolveOptions,
} from './challenge-options.js';
import { fetchPowChallenge, orWithoutHashwx } from './fetch-challenge.js';

/**
 * Finds a nonce for which SHA-256(salt ‖ nonce) begins with `difficulty` zero bits, or the numbers that solve the parts of
 * a HashWX challenge.
 * @throws PowGaveUpError after `maxHashes` hashes: the difficulty is too high for a browser
 * @throws TypeError if the algorithm is neither SHA-256 nor HashWX
 * @throws HashwxUnavailableError for HashWX without WebAssembly
 */
export async function solvePow(
  challenge: Pick<PowChallenge, 'salt' | 'difficulty' | 'algorithm'>,
  options: SolveOptions = {},
): Promise<Found> {
  const { salt, difficulty, algorithm } = challenge;
  const task = algorithm === 'sha256' ? { head: salt, difficulty } : (challenge as HashwxTask);
  return withSolver(options, (solver) => solver.search(task, options));
}

/**
 * Solves the parts of an `effort` challenge: SHA-256 parts one after the other, with `maxHashes` each; HashWX parts together.
 * @throws the errors of `solvePow`
 */
export async function solveEffort(
  challenge: Pick<EffortChallenge, 'salt' | 'parts' | 'part_difficulty' | 'algorithm'>,
  { onProgress, ...options }: SolveEffortOptions = {},
): Promise<SolvedEffort> {
  const { searchParts } = await loadEffort();
  return withSolver(options, (solver) =>
    searchParts(solver, challenge, options, (...progress) => notifyListener(onProgress, ...progress)),
  );
}

/** Few people choose work in place of an image. */
export const loadEffort = () => import('./effort-work.js');

/** The options of `obtainPow`. */
export interface ObtainOptions extends FetchOptions, SolveOptions {
  readonly fields?: Pick<FieldNames, 'pow_token' | 'pow_nonce'> | undefined;
}

/** Fetches and solves a proof of work and returns its two submission fields. */
export function obtainPow(options: ObtainOptions = {}): Promise<Record<string, string>> {
  const { pow_token = 'pow_token', pow_nonce = 'pow_nonce' } = options.fields ?? {};
  return orWithoutHashwx(async () => {
    const challenge = await fetchPowChallenge(options);
    const { nonce } = await solvePow(challenge, options);
    return { [pow_token]: challenge.token, [pow_nonce]: nonce };
  });
}

async function withSolver<T>(options: SolveOptions, use: (solver: Solver) => Promise<T>): Promise<T> {
  if (options.solver !== undefined) return use(options.solver);
  const solver = openSolver(options);
  try {
    return await use(solver);
  } finally {
    solver.close();
  }
}
