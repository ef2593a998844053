// Searches nonces as described in docs/challenges/proof-of-work.md, without code of the services.

import { hash } from 'node:crypto';

/**
 * Returns the smallest nonce for which the SHA-256 of `start` ‖ nonce begins with `bits` zero bits.
 *
 * @param start the salt; for a part of an effort, the salt and the two-digit index
 * @param bits at most 32
 * @param solved with `false`, the smallest nonce that misses
 * @throws RangeError without a difficulty, as in a rejection: no nonce would solve it
 */
export function findNonce(start: string, bits: number, solved = true): string {
  if (!Number.isInteger(bits)) throw new RangeError(`no difficulty: ${bits}`);
  for (let nonce = 0; ; nonce++) {
    // A one-byte text is several times as fast to create as a buffer.
    const digest = hash('sha256', `${start}${nonce}`, 'binary');
    if (leadingZeroBits(digest) >= bits === solved) return String(nonce);
  }
}

function leadingZeroBits(digest: string): number {
  const first = Math.clz32(digest.charCodeAt(0)) - 24;
  if (first < 8) return first;
  const word = [1, 2, 3].reduce((bits, at) => bits * 256 + digest.charCodeAt(at), 0);
  return Math.clz32(word);
}
