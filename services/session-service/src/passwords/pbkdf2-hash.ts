// PBKDF2 (RFC 8018) as a PHC string: `$pbkdf2-sha256$i=600000,l=32$salt$digest`, where l is the length of the digest.

import { pbkdf2 as pbkdf2WithCallback, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { decodePhc, encodePhc, type HashAlgorithm } from './hash-algorithm.js';

const FORM =
  /^\$pbkdf2-(sha1|sha256|sha512)\$i=(\d{1,8})(?:,l=(\d{1,2}))?\$([A-Za-z0-9+/]{2,171})\$([A-Za-z0-9+/]{22,86})$/;

const OUTPUT_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };

/** The maximum of iterations times blocks: about a second of one core. */
const MAX_ITERATIONS = 2_000_000;

const derive = promisify(pbkdf2WithCallback);

/**
 * PBKDF2 with HMAC of SHA-1, SHA-256 or SHA-512. HMAC pads short keys with zero bytes, so a password that ends in a zero
 * byte is rejected, after the same work.
 */
export const pbkdf2: HashAlgorithm = {
  costOf: (text) => parse(text)?.cost,
  async verify(text, password) {
    const parsed = parse(text);
    if (parsed === undefined) return false;
    const { salt, iterations, digest, name } = parsed;
    const matches = timingSafeEqual(await derive(password, salt, iterations, digest.length, name), digest);
    return matches && !password.endsWith('\0');
  },
  makeDummy(cost) {
    const length = Number(/\d+$/.exec(cost)?.[0]);
    return `${cost}$${encodePhc(randomBytes(16))}$${encodePhc(randomBytes(length))}`;
  },
};

/** Encodes a hash. @param name `sha1`, `sha256` or `sha512` */
export function formatPbkdf2(
  name: string,
  iterations: number | string,
  salt: Buffer,
  digest: Buffer,
): string {
  return `$pbkdf2-${name}$i=${iterations},l=${digest.length}$${encodePhc(salt)}$${encodePhc(digest)}`;
}

function parse(text: string) {
  const [, name = '', iterationsText, length, saltText = '', digestText = ''] = FORM.exec(text) ?? [];
  const salt = decodePhc(saltText);
  const digest = decodePhc(digestText);
  const output = OUTPUT_BYTES[name];
  if (output === undefined || salt === undefined || digest === undefined) return undefined;
  if (length !== undefined && Number(length) !== digest.length) return undefined;
  const iterations = Number(iterationsText);
  if (iterations < 1 || iterations * Math.ceil(digest.length / output) > MAX_ITERATIONS) return undefined;
  return { name, iterations, salt, digest, cost: `$pbkdf2-${name}$i=${iterations},l=${digest.length}` };
}
