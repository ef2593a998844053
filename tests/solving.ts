// Solves proofs of work and effort as described in docs/challenges/, without code of the services.

import { hash } from 'node:crypto';
import { findNonce } from '@tollgate/test-support/find-nonce.js';

export interface Work {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
}

/** An effort challenge: work in several parts. */
interface Effort {
  readonly token: string;
  readonly salt: string;
  readonly parts: number;
  readonly part_difficulty: number;
}

/** Returns the smallest nonce that solves a challenge. */
export const solve = ({ salt, difficulty }: Omit<Work, 'token'>): string => findNonce(salt, difficulty);

/** The browser package's search, which hashes eight times as fast. */
interface Solver {
  search(
    task: { head: string; difficulty: number },
    options: { maxHashes: number },
  ): Promise<{ nonce: string }>;
}
const built = new URL('../../packages/client/dist/src/solver/solver.js', import.meta.url);
let solver: Promise<Solver> | undefined;

/**
 * Solves a challenge at a full price, for which `solve` takes seconds. Its nonce differs from that of `solve`.
 * @throws Error if the nonce is wrong by docs/challenges/proof-of-work.md
 */
export async function solveFullPrice({ salt, difficulty }: Omit<Work, 'token'>): Promise<string> {
  solver ??= import(built.href).then(({ openSolver }) => openSolver());
  const { nonce } = await (await solver).search({ head: salt, difficulty }, { maxHashes: Infinity });
  const first = Number.parseInt(hash('sha256', `${salt}${nonce}`, 'hex').slice(0, 8), 16);
  if (first >= 2 ** (32 - difficulty)) throw new Error(`${nonce} does not solve ${salt}`);
  return nonce;
}

/** Returns the smallest nonce that does not solve it. */
export const missSolution = ({ salt, difficulty }: Work): string => findNonce(salt, difficulty, false);

/** Returns the solution of an effort challenge at a full price, a nonce for each part, in order. */
export async function solveEffort({ salt, parts, part_difficulty: difficulty }: Effort): Promise<string> {
  const nonces: string[] = [];
  for (let part = 0; part < parts; part++) {
    nonces.push(await solveFullPrice({ salt: `${salt}${String(part).padStart(2, '0')}`, difficulty }));
  }
  return nonces.join('.');
}
