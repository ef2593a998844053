// Values derived from the secret and a token: hashes of answers, random numbers, drawings.

import { keyedHash, type RingKey } from '../../crypto/key-ring.js';

/** The longest accepted answer, in characters. */
export const MAX_ANSWER_CHARACTERS = 64;

// White space, and invisible formats: direction marks, zero-width characters, soft hyphens, variation selectors.
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Returns an answer in its form for comparison: in NFKC, which folds full-width letters, without white space and invisible
 * characters, and in lower case if case is ignored. Keyboards and password managers of some languages add these.
 */
export function normaliseAnswer(answer: string, fold: boolean): string {
  const seen = answer.normalize('NFKC').replace(UNSEEN, '');
  return fold ? seen.toLowerCase() : seen;
}

/**
 * Returns the stored hash of an answer: 16 bytes of HMAC-SHA256(answer key, token ‖ 0x00 ‖ normalised answer), as
 * hexadecimal digits (docs/decisions/images.md). Without the secret nobody can test guesses, not even with the store.
 */
export function scrambleAnswer(key: RingKey, token: string, normalised: string): string {
  return keyedHash(key.derive('tollgate image answer'), token, normalised).toString('hex');
}

/**
 * A random stream determined by token and seed. Without `CHALLENGE_SECRET` nobody can compute it, not even with the store.
 */
export interface SeededRandom {
  bytes(size: number): Uint8Array;
  /**
   * Returns a whole number from 0 to `bound` - 1, each equally likely.
   * @throws RangeError unless `bound` is a whole number from 1 to 2^32
   */
  below(bound: number): number;
  /**
   * Returns one element of the list, each equally likely.
   * @throws RangeError for an empty list
   */
  pick<T>(list: readonly T[]): T;
}

const RANGE = 2 ** 32;

/** Starts the stream of a challenge from its beginning. */
export function seededRandom(key: RingKey, type: string, token: string, seed: number): SeededRandom {
  const secret = key.derive('tollgate kind');
  let pool: number[] = [];
  let block = 0;
  const bytes = (size: number): Uint8Array => {
    while (pool.length < size) pool.push(...keyedHash(secret, type, token, String(seed), String(block++)));
    const taken = Uint8Array.from(pool.slice(0, size));
    pool = pool.slice(size);
    return taken;
  };
  const below = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1 || bound > RANGE)
      throw new RangeError('a bound is a whole number from 1 to 2^32');
    // Higher numbers are discarded, because they would favour small remainders.
    const fair = RANGE - (RANGE % bound);
    for (;;) {
      const number = Buffer.from(bytes(4)).readUInt32BE();
      if (number < fair) return number % bound;
    }
  };
  return { bytes, below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T };
}

/** Returns the key for deriving the drawing of an image; only for drawing. */
export function drawKey(key: RingKey): Uint8Array {
  return key.derive('tollgate image draw').export();
}
