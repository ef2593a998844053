// A seeded source of choices, so that a run of a drill can be repeated.

/** Choices of one run. */
export interface Random {
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** One element; undefined of an empty list. */
  pick<T>(list: readonly T[]): T | undefined;
}

/** @param seed a whole number; equal seeds give equal choices */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: 32 bits of state are plenty for a few thousand choices.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { below, pick: (list) => list[below(list.length)] };
}
