// The grammar of a generation, checked before the store is asked.

/**
 * @throws RangeError when it is no whole number from 1; a token of ours never carries such a one
 */
export function assertGeneration(generation: number): void {
  if (!Number.isSafeInteger(generation) || generation < 1) throw new RangeError('no generation of a session');
}
