// Random numbers from a seed, so that every run of a drill or a simulation can be repeated.

/** Random values of one stream. */
export interface Random {
  /** From 0 up to 1. */
  uniform(): number;
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** One element; undefined of an empty list. */
  pick<T>(list: readonly T[]): T | undefined;
  /** Exponential, with this mean. */
  exponential(mean: number): number;
  /** The number of many rare events that occur; its mean is `mean`. */
  poisson(mean: number): number;
}

/**
 * Opens a stream. Its generator is mulberry32, whose 2^32 states are enough for samples.
 * @param seed a whole number; equal seeds give equal values
 */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(uniform() * bound);
  const exponential = (mean: number) => -mean * Math.log(1 - uniform());
  return {
    uniform,
    below,
    pick: (list) => list[below(list.length)],
    exponential,
    poisson(mean) {
      if (mean > 50) {
        // The normal distribution is near enough; its value is the sum of twelve uniform ones.
        let sum = -6;
        for (let at = 0; at < 12; at++) sum += uniform();
        return Math.max(0, Math.round(mean + sum * Math.sqrt(mean)));
      }
      let count = 0;
      for (let left = exponential(1); left < mean; left += exponential(1)) count += 1;
      return count;
    },
  };
}
