// The token that names a challenge.

import { randomAlphanumerics } from '../crypto/random-text.js';

/** Characters of a token: two that choose the hash slot, 38 random ones (226 bits). */
export const TOKEN_CHARACTERS = 40;

/** The form of a token, for schemas and checks. */
export const TOKEN_PATTERN = '^[A-Za-z0-9]{40}$';

const TOKEN = new RegExp(TOKEN_PATTERN);

/** Makes a token whose record lives in the slot of `tag`. */
export function makeToken(tag: string, random?: (size: number) => Uint8Array): string {
  return tag + randomAlphanumerics(TOKEN_CHARACTERS - tag.length, random);
}

/** Says whether a value could be a token; nothing else is ever looked up. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}
