// The hashes that answers are verified with: of the text of a captcha, and of the nonces of work.

import { hash } from 'node:crypto';
import type { RingKey } from '../../crypto/key-ring.js';
import { keyedHash } from '../../crypto/keyed-hash.js';
import type { Digest } from '../../pow/difficulty.js';

/** The longest accepted answer, in characters. */
export const MAX_ANSWER_CHARACTERS = 64;

/** Returns an answer as it is compared: trimmed, and in lower case if case does not matter. */
export function normaliseAnswer(answer: string, fold: boolean): string {
  const trimmed = answer.trim();
  return fold ? trimmed.toLowerCase() : trimmed;
}

/**
 * Returns what a record keeps of the answer: 16 bytes of HMAC-SHA256(answer key, token ‖ 0x00 ‖ normalised answer), as
 * hexadecimal digits (docs/decisions/images.md). Without the secret nobody can test guesses, not even with the store.
 */
export function scrambleAnswer(key: RingKey, token: string, normalised: string): string {
  return keyedHash(key.derive('tollgate image answer'), token, normalised).toString('hex');
}

/** The algorithm of new work. */
export const ALGORITHM = 'sha256';

const ALGORITHMS: ReadonlyMap<string, Digest> = new Map([
  [ALGORITHM, (text: string) => hash('sha256', text, 'binary')],
]);

/** Returns the digest function of an algorithm, or undefined if it is unknown. */
export function digestOf(algorithm: string): Digest | undefined {
  return ALGORITHMS.get(algorithm);
}
