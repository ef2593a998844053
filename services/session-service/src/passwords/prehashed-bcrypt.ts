// Bcrypt of a digest of the password, as Django (`bcrypt_sha256`) and WordPress write it, so that all of the password counts.

import { createHash, createHmac } from 'node:crypto';
import { bcrypt } from './bcrypt-hash.js';
import type { HashAlgorithm } from './hash-algorithm.js';

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
