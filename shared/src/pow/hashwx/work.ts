// Work in HashWX: the form of a solution, and its verification (docs/decisions/hashwx.md).

import type { Hashwx } from './function.js';

/** The name of the algorithm on the wire. */
export const HASHWX = 'hashwx-1' as const;

/** Independent parts of a challenge: four vary half as much as one, and cost four checks. */
export const HASHWX_PARTS = 4;

/** Nonce blocks of a part; each has its own function. */
const BLOCKS = 2 ** 32;

/**
 * Returns the SHA-256 of some bytes, 32 bytes. It is a parameter, so that these files run in browsers as well as in Node.
 */
export type BytesDigest = (bytes: Uint8Array) => Uint8Array;

const MOST_PART_HASHES = 2 ** 32;

/**
 * Returns the expected hashes of each part, 2 to 2^32, so that all parts together cost as much as `2 ** bits` hashes of
 * SHA-256.
 * @param exchange cost of one hash in SHA-256 hashes
 */
export function hashwxPartHashes(bits: number, exchange: number): number {
  const hashes = Math.round(2 ** bits / (HASHWX_PARTS * exchange));
  return Math.min(MOST_PART_HASHES, Math.max(2, hashes));
}

/** Bits of one part of work of `totalBits`: all four parts cost the same. */
export function hashwxPartBits(totalBits: number): number {
  return totalBits - Math.log2(HASHWX_PARTS);
}

/** The input of a verification; everything comes from the server's own record. */
interface HashwxTask {
  /** 64 hexadecimal digits. */
  readonly seed: string;
  /** Expected hashes of a part, 2 to 2^32. */
  readonly partDifficulty: number;
  /** Nonces per function, 1 to 65,536. */
  readonly noncesPerFunction: number;
}

const SOLUTION = /^(?:0|[1-9][0-9]{0,14})(?:\.(?:0|[1-9][0-9]{0,14})){3}$/;
const NUMBERS = 2 ** 48;

/**
 * Returns whether a string is a well-formed solution: four decimal numbers below 2^48, joined by dots, without sign or
 * leading zero.
 */
export function isHashwxSolution(text: string): boolean {
  return SOLUTION.test(text) && text.split('.').every((number) => Number(number) < NUMBERS);
}

const DOMAIN = Uint8Array.from('captcha-hashwx-1', (character) => character.charCodeAt(0));
const PART_AT = DOMAIN.length + 32;

/**
 * Returns a function for the seeds of a challenge's functions: SHA-256(domain ‖ salt ‖ part ‖ block), where every field has
 * a fixed length. Parts are 0 to 3, blocks 0 to 2^32 - 1.
 * @param salt 64 hexadecimal digits
 */
export function functionSeeds(
  sha256: BytesDigest,
  salt: string,
): (part: number, block: number) => Uint8Array {
  const message = new Uint8Array(PART_AT + 5);
  const view = new DataView(message.buffer);
  message.set(DOMAIN);
  for (let at = 0; at < 8; at++) {
    view.setUint32(DOMAIN.length + 4 * at, Number.parseInt(salt.slice(8 * at, 8 * at + 8), 16));
  }
  return (part, block) => {
    message[PART_AT] = part;
    view.setUint32(PART_AT + 1, block);
    return sha256(message);
  };
}

/** Returns the exclusive upper bound of a hash: one hash in `partDifficulty` is below it. */
export function hashwxThreshold(partDifficulty: number): bigint {
  return 2n ** 64n / BigInt(partDifficulty);
}

/**
 * Returns whether a solution solves every part; stops at the first failure.
 * @param solution well-formed by `isHashwxSolution`; any other string solves nothing
 */
export function solvesHashwx(
  { hash }: Hashwx,
  sha256: BytesDigest,
  { seed, partDifficulty, noncesPerFunction }: HashwxTask,
  solution: string,
): boolean {
  if (!isHashwxSolution(solution)) return false;
  const threshold = hashwxThreshold(partDifficulty);
  const seedOf = functionSeeds(sha256, seed);
  return solution.split('.').every((text, part) => {
    const number = Number(text);
    const block = Math.floor(number / noncesPerFunction);
    if (block >= BLOCKS) return false;
    return hash(seedOf(part, block), BigInt(number)) < threshold;
  });
}
