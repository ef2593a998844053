// Bcrypt: `$2b$12$` and 53 characters. `$2a$` and `$2y$` are the same algorithm under the prefixes of other programs.

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/bcrypt';
import type { HashAlgorithm } from './hash-algorithm.js';

const FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** Bcrypt reads only this many bytes of a password in UTF-8 and ignores the rest. */
const MAX_INPUT_BYTES = 72;

/** Each step doubles the work: 14 takes about a second of a core. */
const MAX_ROUNDS_LOG = 14;

const STANDARD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Bcrypt with a cost of 4 to 14. The algorithm ignores bytes after the 72nd, and its key is the password followed by a
 * zero byte, repeated, so `a` and `a\0a` have the same key. A password that contains a zero byte is therefore rejected,
 * after the same work.
 */
export const bcrypt: HashAlgorithm = {
  costOf(text) {
    const rounds = FORM.exec(text)?.[1];
    if (rounds === undefined || Number(rounds) < 4 || Number(rounds) > MAX_ROUNDS_LOG) return undefined;
    return `$2b$${rounds}`;
  },
  async verify(text, password) {
    const matches = await verify(password, text);
    return matches && !password.includes('\0');
  },
  makeDummy: (cost) => `${cost}$${encode(randomBytes(16))}${encode(randomBytes(23))}`,
};

/** Whether bcrypt reads the whole password. For a longer one, a match proves only the first 72 bytes. */
export function bcryptReadsAll(password: string): boolean {
  return Buffer.byteLength(password) <= MAX_INPUT_BYTES;
}

function encode(bytes: Buffer): string {
  return bytes
    .toString('base64')
    .replace(/=+$/, '')
    .replace(/./g, (character) => BCRYPT_ALPHABET.charAt(STANDARD_ALPHABET.indexOf(character)));
}

/** Django's BCryptSHA256PasswordHasher: `$bcrypt-sha256$2b$12$` and 53 characters. */
export const bcryptSha256 = prehashed('$bcrypt-sha256', (password) =>
  createHash('sha256').update(password).digest('hex'),
);

/** WordPress since 6.8: `$wp$2y$10$` and 53 characters. WordPress trims passwords. */
export const wordpressBcrypt = prehashed('$wp', (password) =>
  createHmac('sha384', 'wp-sha384').update(password.trim()).digest('base64'),
);

function prehashed(prefix: string, digestOf: (password: string) => string): HashAlgorithm {
  const inner = (text: string) => (text.startsWith(`${prefix}$2`) ? text.slice(prefix.length) : '');
  return {
    costOf(text) {
      const cost = bcrypt.costOf(inner(text));
      return cost === undefined ? undefined : `${prefix}${cost}`;
    },
    verify: (text, password) => bcrypt.verify(inner(text), digestOf(password)),
    makeDummy: (cost) => `${prefix}${bcrypt.makeDummy(inner(cost))}`,
  };
}
