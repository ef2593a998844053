// Comparison of secrets whose duration says nothing about where they differ.

import { timingSafeEqual } from 'node:crypto';

/** Compares bytes in constant time; bytes of different length are simply unequal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Compares texts by their UTF-8 bytes in constant time. */
export function equalText(a: string, b: string): boolean {
  return equalBytes(Buffer.from(a), Buffer.from(b));
}
