// Compares secrets in constant time.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Compares bytes in constant time; bytes of different lengths are unequal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares strings by their UTF-8 bytes in constant time. */
export function equalText(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a), Buffer.from(b));
}

/**
 * Returns a function that compares a string with the secret. It compares digests of both with one random prefix: digests
 * have equal lengths, and the position of their first difference reveals nothing about the strings.
 */
export function matcherOf(secret: string): (presented: string) => boolean {
  const prefix = randomBytes(32).toString('hex');
  const digest = (text: string) => hash('sha256', prefix + text, 'buffer');
  const expected = digest(secret);
  return (presented) => equalBytes(digest(presented), expected);
}
