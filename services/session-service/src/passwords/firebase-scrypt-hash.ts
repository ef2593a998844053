// Firebase's scrypt, in the form of Supabase Auth: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=…$salt$hash` with padded Base64.
// n and r are "Memory cost" and "Rounds", ss and sk "Salt separator" and "Signer key" of the project.

import { createCipheriv, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { HashAlgorithm } from './hash-algorithm.js';

const FORM =
  /^(\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=1),ss=([A-Za-z0-9+/=]{0,64}),sk=([A-Za-z0-9+/]{43,171}={0,2})\$([A-Za-z0-9+/]{2,86}={0,2})\$([A-Za-z0-9+/]{43,171}={0,2})$/;

const KEY_BYTES = 64;

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

/**
 * The key that scrypt derives encrypts the project's signer key, and the hash is the result (github.com/firebase/scrypt).
 * As for scrypt, a password that ends in a zero byte is rejected, after the same work.
 */
export const firebaseScrypt: HashAlgorithm = {
  costOf: (text) => parse(text)?.cost,
  async verify(text, password) {
    const parsed = parse(text);
    if (parsed === undefined) return false;
    const { salt, signerKey, expected, options } = parsed;
    const key = await derive(password, salt, KEY_BYTES, options);
    const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), Buffer.alloc(16));
    const found = Buffer.concat([cipher.update(signerKey), cipher.final()]);
    return timingSafeEqual(found, expected) && !password.endsWith('\0');
  },
  makeDummy(cost) {
    const random = () => randomBytes(KEY_BYTES).toString('base64');
    return `${cost},ss=Bw==,sk=${random()}$${randomBytes(10).toString('base64')}$${random()}`;
  },
};

function parse(text: string) {
  const [, cost, n, r, separator = '', signer = '', saltText = '', hash = ''] = FORM.exec(text) ?? [];
  if (cost === undefined) return undefined;
  const [N, blockSize] = [2 ** Number(n), Number(r)];
  // Firebase's cost, or twice that.
  if (Number(n) < 1 || Number(n) > 15 || blockSize < 1 || blockSize > 8) return undefined;
  const signerKey = Buffer.from(signer, 'base64');
  const expected = Buffer.from(hash, 'base64');
  if (expected.length !== signerKey.length) return undefined;
  const salt = Buffer.concat([Buffer.from(saltText, 'base64'), Buffer.from(separator, 'base64')]);
  const options = { N, r: blockSize, p: 1, maxmem: 128 * blockSize * (N + 3) };
  return { cost, salt, signerKey, expected, options };
}
