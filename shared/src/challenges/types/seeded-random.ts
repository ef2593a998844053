// The random choices of a kind of challenge: made under the secret, the same again whenever they are asked for.

import type { RingKey } from '../../crypto/key-ring.js';
import { keyedHash } from '../../crypto/keyed-hash.js';

/** A stream that token and seed decide. Without `CHALLENGE_SECRET` it cannot be computed, whoever holds the store. */
export interface SeededRandom {
  bytes(size: number): Uint8Array;
  /**
   * A whole number from 0 up to and without `bound`, each equally likely.
   * @throws RangeError unless `bound` is a whole number from 1 to 2^32
   */
  below(bound: number): number;
  /**
   * One of the list, each equally likely.
   * @throws RangeError for an empty list
   */
  pick<T>(list: readonly T[]): T;
}

const RANGE = 2 ** 32;

/** Starts the stream of a challenge from its beginning. */
export function seededRandom(key: RingKey, kind: string, token: string, seed: number): SeededRandom {
  const secret = key.derive('tollgate kind');
  let pool: number[] = [];
  let block = 0;
  const bytes = (size: number): Uint8Array => {
    while (pool.length < size) pool.push(...keyedHash(secret, kind, token, String(seed), String(block++)));
    const taken = Uint8Array.from(pool.slice(0, size));
    pool = pool.slice(size);
    return taken;
  };
  const below = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1 || bound > RANGE)
      throw new RangeError('a bound is a whole number from 1 to 2^32');
    // Numbers from here on are thrown away, so that the remainder favours nothing.
    const fair = RANGE - (RANGE % bound);
    for (;;) {
      const number = Buffer.from(bytes(4)).readUInt32BE();
      if (number < fair) return number % bound;
    }
  };
  return { bytes, below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T };
}

/** The key that the characters of an image are derived from; for the drawing side only. */
export function drawKey(key: RingKey): Uint8Array {
  return key.derive('tollgate image draw').export();
}
