// Solves proofs of work as docs/challenges.md describes them, without code of the services.

import { createHash } from 'node:crypto';

/** The smallest nonce that gives so many leading zero bits, at most 32. */
export function solve(salt: string, difficulty: number): string {
  for (let nonce = 0; ; nonce++) {
    const digest = createHash('sha256').update(`${salt}${nonce}`).digest();
    if (Math.clz32(digest.readUInt32BE(0)) >= difficulty) return String(nonce);
  }
}
