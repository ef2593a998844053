// Scrypt (RFC 7914) as a PHC string: `$scrypt$ln=15,r=8,p=1$salt$digest`, where ln is log2(N).

import { randomBytes, type ScryptOptions, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import {
  decodePhc,
  encodePhc,
  type HashAlgorithm,
  MAX_HASH_BYTES,
  MAX_SCRYPT_WORK_BYTES,
} from './hash-algorithm.js';

const FORM =
  /^(\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3}))\$([A-Za-z0-9+/]{2,86})\$([A-Za-z0-9+/]{22,171})$/;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptWithCallback);

/**
 * Scrypt, up to 256 MiB of memory times lanes. It starts with HMAC, which pads short keys with zero
 * bytes, so a password matches the same password followed by zero bytes. A password that ends in a zero byte is
 * therefore rejected, after the same work.
 */
export const scrypt: HashAlgorithm = {
  costOf: (text) => parse(text)?.cost,
  async verify(text, password) {
    const parsed = parse(text);
    if (parsed === undefined) return false;
    const { salt, digest, options } = parsed;
    const matches = timingSafeEqual(await derive(password, salt, digest.length, options), digest);
    return matches && !password.endsWith('\0');
  },
  makeDummy: (cost) => `${cost}$${encodePhc(randomBytes(16))}$${encodePhc(randomBytes(32))}`,
};

function parse(text: string) {
  const [, cost, ln, r, p, saltText = '', digestText = ''] = FORM.exec(text) ?? [];
  const salt = decodePhc(saltText);
  const digest = decodePhc(digestText);
  if (cost === undefined || salt === undefined || digest === undefined) return undefined;
  const n = 2 ** Number(ln);
  const blockSize = Number(r);
  const parallelization = Number(p);
  const bytes = 128 * n * blockSize;
  if (n < 2 || bytes === 0 || parallelization === 0) return undefined;
  if (bytes > MAX_HASH_BYTES || bytes * parallelization > MAX_SCRYPT_WORK_BYTES) return undefined;
  // RFC 7914 requires N < 2^(128 r / 8); OpenSSL throws otherwise.
  if (Number(ln) >= 16 * blockSize) return undefined;
  // The memory that OpenSSL counts: the table, one working block, the lanes.
  const maxmem = 128 * blockSize * (n + 2 + parallelization);
  return { cost, salt, digest, options: { N: n, r: blockSize, p: parallelization, maxmem } };
}
