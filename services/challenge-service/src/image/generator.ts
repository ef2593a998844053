// The seeded random number generator for drawing: xoshiro128** on 32-bit integers, identical on every machine.

/** A stream of integers that depends on its seed alone. */
export type Generator = {
  /** Returns an integer from 0 up to but not including `bound` (1 to 65,536). */
  below(bound: number): number;
  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number;
};

/**
 * Starts a stream from 16 bytes of `seed` beginning at `offset`.
 * Source of the algorithm: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators" (2018).
 */
export function createGenerator(seed: Uint8Array, offset = 0): Generator {
  const view = new DataView(seed.buffer, seed.byteOffset + offset, 16);
  let a = view.getUint32(0);
  let b = view.getUint32(4);
  let c = view.getUint32(8);
  // The all-zero state would never leave zero.
  let d = view.getUint32(12) | 1;

  function next(): number {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  }

  // Scales the upper 16 bits down: a bias of at most 1/65,536, which no effect can show.
  const below = (bound: number): number => ((next() >>> 16) * bound) >>> 16;
  return { below, between: (low, high) => low + below(high - low + 1) };
}
