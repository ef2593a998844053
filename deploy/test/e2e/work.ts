// Solves proofs of work and effort as docs/challenges.md describes them, without code of the services.

import { createHash } from 'node:crypto';

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

/** The smallest nonce that solves a challenge. */
export function solve(work: Work): string {
  return search(work.salt, work.difficulty, true);
}

/** The smallest nonce that does not. */
export function missSolution(work: Work): string {
  return search(work.salt, work.difficulty, false);
}

/** The answer to an effort challenge: the smallest nonce of each part, in order. */
export function solveEffort({ salt, parts, part_difficulty }: Effort): string {
  return Array.from({ length: parts }, (_, part) =>
    search(`${salt}${String(part).padStart(2, '0')}`, part_difficulty, true),
  ).join('.');
}

function search(start: string, difficulty: number, solved: boolean): string {
  for (let nonce = 0; ; nonce++) {
    const digest = createHash('sha256').update(`${start}${nonce}`).digest();
    if ((digest.readUInt32BE(0) >>> (32 - difficulty) === 0) === solved) return String(nonce);
  }
}
