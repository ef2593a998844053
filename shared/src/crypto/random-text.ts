// Random texts over the 62 letters and digits.

import { randomBytes } from './random-bytes.js';

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
