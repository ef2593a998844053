// Random bytes, and random strings of letters and digits.

import { randomBytes as drawBytes } from 'node:crypto';

const BLOCK_BYTES = 4096;

let block = Buffer.alloc(0);
let used = 0;

/** Returns where `size` unused bytes begin in the block. */
function reserve(size: number): number {
  if (block.length - used < size) {
    block = drawBytes(BLOCK_BYTES);
    used = 0;
  }
  used += size;
  return used - size;
}

/**
 * Returns cryptographically strong random bytes. They come from a prefetched block, because one call of `node:crypto` costs
 * as much as the rest of an issued challenge, whatever its size. No byte is returned twice.
 */
export function randomBytes(size: number): Buffer {
  if (size > BLOCK_BYTES) return drawBytes(size);
  const from = reserve(size);
  return block.subarray(from, from + size);
}

/**
 * Returns random bytes as hexadecimal digits, two for each.
 * @param random source of random bytes; the operating system's by default
 */
export function randomHex(size: number, random: (size: number) => Uint8Array = randomBytes): string {
  if (random !== randomBytes || size > BLOCK_BYTES) return Buffer.from(random(size)).toString('hex');
  const from = reserve(size);
  return block.toString('hex', from, from + size);
}

export const ALPHANUMERICS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// The largest multiple of 62 that fits in a byte: higher bytes would favour the first characters.
const FAIR_BYTES = 248;

const CODES = Buffer.from(ALPHANUMERICS);

let characters: Buffer = Buffer.alloc(0);
let usedCharacters = 0;

/**
 * Returns a random string of letters and digits; every character is equally likely. By default it comes from a prepared
 * block of characters: joining single characters takes ten times as long.
 * @param random source of random bytes; the operating system's by default
 */
export function randomAlphanumerics(
  length: number,
  random: (size: number) => Uint8Array = randomBytes,
): string {
  if (random !== randomBytes) return charactersOf(random, length).toString('latin1');
  if (characters.length - usedCharacters < length) {
    characters = charactersOf(drawBytes, Math.max(length, BLOCK_BYTES));
    usedCharacters = 0;
  }
  usedCharacters += length;
  return characters.toString('latin1', usedCharacters - length, usedCharacters);
}

function charactersOf(random: (size: number) => Uint8Array, length: number): Buffer {
  const text = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    for (const byte of random(length - filled + 8)) {
      if (byte < FAIR_BYTES && filled < length) text[filled++] = CODES[byte % CODES.length]!;
    }
  }
  return text;
}
