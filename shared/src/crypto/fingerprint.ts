// Recognises a text without keeping it: a short hash under a salt.

import { hash } from 'node:crypto';
import { equalText } from './constant-time.js';

const DIGITS = 32;

/**
 * Returns 128 bits of the SHA-256 of salt and text, as 32 hexadecimal digits.
 * @param salt without spaces
 */
export function fingerprint(salt: string, text: string): string {
  return hash('sha256', `${salt} ${text}`).slice(0, DIGITS);
}

/** Returns whether this is the fingerprint of the text under the salt, in a time that does not depend on it. */
export function hasFingerprint(print: string, salt: string, text: string): boolean {
  return equalText(print, fingerprint(salt, text));
}
