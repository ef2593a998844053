// Comparison of secrets whose duration says nothing about where they differ.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Compares bytes in constant time; bytes of different length are simply unequal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares texts by their UTF-8 bytes in constant time. */
export function equalText(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a), Buffer.from(b));
}

/**
 * A function that says whether a text is the secret. It compares the digests of both behind one random prefix: they
 * are of one length, whatever was presented, and how far two of them agree says nothing about the texts.
 */
export function matcherOf(secret: string): (presented: string) => boolean {
  const blind = randomBytes(32).toString('hex');
  const digest = (text: string) => hash('sha256', blind + text, 'buffer');
  const expected = digest(secret);
  return (presented) => equalBytes(digest(presented), expected);
}
