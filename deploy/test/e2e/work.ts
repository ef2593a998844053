// Solves proofs of work as decisions 2.1 describe them, without code of the services.

import { createHash } from 'node:crypto';

export interface Work {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
}

/** The smallest nonce that solves a challenge. */
export function solve(work: Work): string {
  return search(work, true);
}

/** The smallest nonce that does not. */
export function missSolution(work: Work): string {
  return search(work, false);
}

function search({ salt, difficulty }: Work, solved: boolean): string {
  for (let nonce = 0; ; nonce++) {
    const digest = createHash('sha256').update(`${salt}${nonce}`).digest();
    if ((digest.readUInt32BE(0) >>> (32 - difficulty) === 0) === solved) return String(nonce);
  }
}
