// The hash algorithms a proof of work can be asked for, by their wire name.

import { hash } from 'node:crypto';
import type { Digest } from '../../pow/difficulty.js';

/** The algorithm of newly issued work. */
export const ALGORITHM = 'sha256';

const ALGORITHMS: ReadonlyMap<string, Digest> = new Map([
  [ALGORITHM, (text: string) => hash('sha256', text, 'buffer')],
]);

/** The digest function of an algorithm's name, or undefined for an unknown one. */
export function digestOf(algorithm: string): Digest | undefined {
  return ALGORITHMS.get(algorithm);
}
