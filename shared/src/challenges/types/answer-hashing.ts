// The answer to an image: how it is compared, and how it is kept without telling it.

import { hash } from 'node:crypto';
import type { RingKey } from '../../crypto/key-ring.js';
import { keyedHash } from '../../crypto/keyed-hash.js';
import type { Digest } from '../../pow/difficulty.js';

/** Longest answer that is looked at, in characters. */
export const MAX_ANSWER_CHARACTERS = 64;

/** Brings an answer to the form that is compared: trimmed, and in small letters when capitals do not count. */
export function normaliseAnswer(answer: string, fold: boolean): string {
  const trimmed = answer.trim();
  return fold ? trimmed.toLowerCase() : trimmed;
}

/**
 * What a record keeps of the answer: 16 bytes of HMAC-SHA256(answer key, token ‖ 0x00 ‖ normalised answer), as
 * hexadecimal digits (decisions 2.2). Without the secret it says nothing, not even to who holds the store.
 */
export function scrambleAnswer(key: RingKey, token: string, normalised: string): string {
  return keyedHash(key.derive('tollgate image answer'), token, normalised).toString('hex');
}

/** The algorithm of newly issued work. */
export const ALGORITHM = 'sha256';

const ALGORITHMS: ReadonlyMap<string, Digest> = new Map([
  [ALGORITHM, (text: string) => hash('sha256', text, 'buffer')],
]);

/** The digest function of an algorithm's name, or undefined for an unknown one. */
export function digestOf(algorithm: string): Digest | undefined {
  return ALGORITHMS.get(algorithm);
}
