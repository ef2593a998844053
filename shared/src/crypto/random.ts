// Random bytes, and random texts of letters and digits.

import { randomBytes as drawBytes } from 'node:crypto';

const BLOCK_BYTES = 4096;

let block = Buffer.alloc(0);

/**
 * Returns cryptographically strong random bytes. They come from a block that is drawn in advance, because one call of
 * `node:crypto` costs as much as the rest of an issued challenge, whatever its size. No byte is returned twice.
 */
export function randomBytes(size: number): Buffer {
  if (size > BLOCK_BYTES) return drawBytes(size);
  if (block.length < size) block = drawBytes(BLOCK_BYTES);
  const piece = block.subarray(0, size);
  block = block.subarray(size);
  return piece;
}

export const ALPHANUMERICS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// The largest multiple of 62 that fits in a byte: higher bytes would favour the first characters.
const FAIR_BYTES = 248;

/**
 * Returns a random text of letters and digits; every character is equally likely.
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
