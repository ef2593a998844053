// The `effort` alternative to a captcha: sixteen equal parts of work (docs/decisions/effort.md).

import { type Digest, isNonce, leadingZeroBits } from './difficulty.js';
import { SLOW_HASHES_PER_SECOND, type WorkShape } from './lifetime.js';

/** Parts of one challenge: many, so that their sum varies little. */
export const EFFORT_PARTS = 16;

/** Sixteen parts, so that the total varies little. */
export const EFFORT_SHAPE: WorkShape = { leastBits: 22, mostBits: 28, partBits: 4, spread: 1.96 };

/** Length of the longest answer, in characters: 16 nonces of 24 digits and 15 dots, with room. */
export const MAX_EFFORT_CHARACTERS = 416;

/**
 * Returns the total work in bits for an account whose next proof of work costs `price` bits.
 * @param bits `effort.bits`: the surcharge of effort
 */
export function effortBits(price: number, bits: number): number {
  return Math.min(Math.max(price + bits, EFFORT_SHAPE.leastBits), EFFORT_SHAPE.mostBits);
}

/** Returns the difficulty of each part in bits. */
export function partDifficulty(totalBits: number): number {
  return totalBits - EFFORT_SHAPE.partBits;
}

/** Returns the total work in bits of a challenge with parts of this difficulty. */
export function totalBits(difficultyOfPart: number): number {
  return difficultyOfPart + EFFORT_SHAPE.partBits;
}

/** Returns the lifetime in whole seconds of a challenge of `bits` bits. */
export function effortLifetimeSeconds(bits: number, expireSeconds: number): number {
  return Math.max(expireSeconds, Math.ceil((EFFORT_SHAPE.spread * 2 ** bits) / SLOW_HASHES_PER_SECOND));
}

/** Parses an answer, 16 nonces joined by dots; returns null for any other string. */
export function parseEffortAnswer(answer: string): string[] | null {
  if (answer.length > MAX_EFFORT_CHARACTERS) return null;
  const nonces = answer.split('.');
  return nonces.length === EFFORT_PARTS && nonces.every(isNonce) ? nonces : null;
}

/** Returns whether every part is solved: the digest of salt ‖ two-digit index ‖ nonce has enough leading zero bits. */
export function solvesEffort(
  digest: Digest,
  salt: string,
  nonces: readonly string[],
  difficulty: number,
): boolean {
  return nonces.every((nonce, part) => {
    const index = String(part).padStart(2, '0');
    return leadingZeroBits(digest(salt + index + nonce)) >= difficulty;
  });
}
