// Scrypt (RFC 7914) in PHC form `$scrypt$ln=15,r=8,p=1$salt$digest`, ln being the logarithm of N.

import { randomBytes, type ScryptOptions, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type HashKind, MAX_HASH_BYTES, MAX_HASH_WORK_BYTES } from './hash-algorithm.js';
import { decodePhc, encodePhc } from './phc-base64.js';

const FORM =
  /^(\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3}))\$([A-Za-z0-9+/]{2,86})\$([A-Za-z0-9+/]{22,171})$/;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptWithCallback);

/**
 * Scrypt, up to 256 MiB and 1 GiB of memory times lanes. It begins with HMAC, which fills a key up with zero bytes, so
 * that a password and the same with zero bytes behind it are one to it; the second opens nothing here, after the same
 * work.
 */
export const scrypt: HashKind = {
  costOf: (text) => read(text)?.cost,
  async verify(text, password) {
    const parts = read(text);
    if (parts === undefined) return false;
    const { salt, digest, options } = parts;
    const matches = timingSafeEqual(await derive(password, salt, digest.length, options), digest);
    return matches && !password.endsWith('\0');
  },
  makeDummy: (cost) => `${cost}$${encodePhc(randomBytes(16))}$${encodePhc(randomBytes(32))}`,
};

function read(text: string) {
  const [, cost, ln, r, p, saltText = '', digestText = ''] = FORM.exec(text) ?? [];
  const salt = decodePhc(saltText);
  const digest = decodePhc(digestText);
  if (cost === undefined || salt === undefined || digest === undefined) return undefined;
  const n = 2 ** Number(ln);
  const blockSize = Number(r);
  const parallelization = Number(p);
  const bytes = 128 * n * blockSize;
  if (n < 2 || bytes === 0 || parallelization === 0) return undefined;
  if (bytes > MAX_HASH_BYTES || bytes * parallelization > MAX_HASH_WORK_BYTES) return undefined;
  // RFC 7914: N is less than 2^(128 r / 8); OpenSSL would throw.
  if (Number(ln) >= 16 * blockSize) return undefined;
  // What OpenSSL counts: the big table, one block of work, the lanes.
  const maxmem = 128 * blockSize * (n + 2 + parallelization);
  return { cost, salt, digest, options: { N: n, r: blockSize, p: parallelization, maxmem } };
}
