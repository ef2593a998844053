// The hash algorithms a proof of work can be asked for, by their wire name.

import { createHash } from 'node:crypto';
import type { Digest } from '../pow/difficulty.js';

/** The algorithm of newly issued work. */
export const ALGORITHM = 'sha256';

const ALGORITHMS: ReadonlyMap<string, Digest> = new Map([
  [ALGORITHM, (text: string) => createHash('sha256').update(text, 'ascii').digest()],
]);

/** The digest function of an algorithm's name, or undefined for an unknown one. */
export function digestOf(algorithm: string): Digest | undefined {
  return ALGORITHMS.get(algorithm);
}
