// Random bytes in small pieces, which the operating system's source gives out a block at a time.

import { randomBytes as drawBytes } from 'node:crypto';

const BLOCK_BYTES = 4096;

let block = Buffer.alloc(0);

/**
 * Cryptographically strong random bytes. A call of `node:crypto` for each piece costs as much as the rest of an issued
 * challenge: most of it is the call, whatever its size. No byte is given out twice.
 */
export function randomBytes(size: number): Buffer {
  if (size > BLOCK_BYTES) return drawBytes(size);
  if (block.length < size) block = drawBytes(BLOCK_BYTES);
  const piece = block.subarray(0, size);
  block = block.subarray(size);
  return piece;
}

export const ALPHANUMERICS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// The largest multiple of 62 that a byte can hold: bytes from here on would favour the first characters.
const FAIR_BYTES = 248;

/**
 * A random text of letters and digits, every character equally likely.
 * @param random source of random bytes; the operating system's by default
 */
export function randomAlphanumerics(
  length: number,
  random: (size: number) => Uint8Array = randomBytes,
): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length + 8)) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHANUMERICS[byte % 62];
    }
  }
  return text;
}
