// Solves proofs of work and effort as docs/challenges.md describes them, without code of the services.

import { findNonce } from '@tollgate/shared/test/find-nonce.js';

export interface Work {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
}

/** An effort challenge: work in several parts. */
export interface Effort {
  readonly token: string;
  readonly salt: string;
  readonly parts: number;
  readonly part_difficulty: number;
}

/** Returns the smallest nonce that solves a challenge. */
export const solve = ({ salt, difficulty }: Omit<Work, 'token'>): string => findNonce(salt, difficulty);

/** Returns the smallest nonce that does not solve it. */
export const missSolution = ({ salt, difficulty }: Work): string => findNonce(salt, difficulty, false);

/** Returns the answer to an effort challenge: the smallest nonce of each part, in order. */
export function solveEffort({ salt, parts, part_difficulty }: Effort): string {
  return Array.from({ length: parts }, (_, part) =>
    findNonce(`${salt}${String(part).padStart(2, '0')}`, part_difficulty),
  ).join('.');
}
