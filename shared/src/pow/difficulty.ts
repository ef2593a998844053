// Proof of work: the form of a nonce, and the leading zero bits that it must produce.

/**
 * Hashes an ASCII string to a string with one character per byte (Latin-1), which Node creates in half the time of a buffer.
 * It is a parameter, so that these files run in browsers as well as in Node.
 */
export type Digest = (text: string) => string;

/** Counts the leading zero bits of a digest, from the most significant bit of the first byte. */
export function leadingZeroBits(digest: string): number {
  let bits = 0;
  for (let at = 0; at < digest.length; at++) {
    const byte = digest.charCodeAt(at);
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

/** Returns whether a nonce solves a challenge: the digest of salt ‖ nonce has at least `difficulty` leading zero bits. */
export function solves(digest: Digest, salt: string, nonce: string, difficulty: number): boolean {
  return leadingZeroBits(digest(salt + nonce)) >= difficulty;
}

const NONCE = /^(?:0|[1-9][0-9]{0,23})$/;

/**
 * Returns whether a string is a nonce: 1 to 24 decimal digits, no sign, no leading zero except `0` itself. With a salt of
 * fixed length this makes salt ‖ nonce unambiguous.
 */
export function isNonce(text: string): boolean {
  return NONCE.test(text);
}
