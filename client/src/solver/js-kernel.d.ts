// The kernel in JavaScript, which client/build.js writes.

/**
 * Tries the tails of a stem, in order.
 * @param table filled by `prepareStem`
 * @param shift 32 minus the leading zero bits that are wanted
 * @param from first tail, inclusive
 * @param to last tail, exclusive
 * @returns the first tail whose digest has them, or -1
 */
export function searchTails(
  table: Int32Array,
  tailWords: Int32Array,
  shift: number,
  from: number,
  to: number,
): number;
