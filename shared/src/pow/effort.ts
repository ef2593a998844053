// The `effort` alternative to an image: sixteen equal parts of work (decisions 2.5).

import { type Digest, leadingZeroBits } from './difficulty.js';
import { SLOW_HASHES_PER_SECOND } from './lifetime.js';
import { isNonce } from './nonce.js';

/** Parts of one challenge: many, so that their sum varies little. */
export const EFFORT_PARTS = 16;

/** log2 of the number of parts. */
const PART_BITS = 4;

const LEAST_BITS = 22;
const MOST_BITS = 28;

/** All but one solve in a thousand of sixteen parts end within this multiple of the expected work. */
const PATIENCE = 1.96;

/** Longest answer, in characters: 16 nonces of 24 digits and 15 dots, with room. */
export const MAX_EFFORT_CHARACTERS = 416;

/**
 * The whole work in bits, for an account whose next proof of work costs `price` bits.
 * @param bits `effort.bits`: how much more it costs
 */
export function effortBits(price: number, bits: number): number {
  return Math.min(Math.max(price + bits, LEAST_BITS), MOST_BITS);
}

/** Difficulty in bits of each part. */
export function partDifficulty(totalBits: number): number {
  return totalBits - PART_BITS;
}

/** The whole work in bits of a challenge with parts of this difficulty. */
export function totalBits(difficultyOfPart: number): number {
  return difficultyOfPart + PART_BITS;
}

/** Lifetime in whole seconds of a challenge of so many bits. */
export function effortLifetimeSeconds(bits: number, expireSeconds: number): number {
  return Math.max(expireSeconds, Math.ceil((PATIENCE * 2 ** bits) / SLOW_HASHES_PER_SECOND));
}

/** The nonces of an answer in order, or null for a text that is none: 16 nonces joined by dots. */
export function parseEffortAnswer(answer: string): string[] | null {
  if (answer.length > MAX_EFFORT_CHARACTERS) return null;
  const nonces = answer.split('.');
  return nonces.length === EFFORT_PARTS && nonces.every(isNonce) ? nonces : null;
}

/** Says whether every part is solved: the digest of salt ‖ two-digit index ‖ nonce has the leading zero bits. */
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
