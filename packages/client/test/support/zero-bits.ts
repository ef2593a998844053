// Counts the leading zero bits of a text's SHA-256, like the server, with Node's own implementation.
import { createHash } from 'node:crypto';

export function zeroBits(text: string): number {
  const digest = createHash('sha256').update(text, 'ascii').digest();
  const first = Math.clz32(digest.readUInt32BE(0));
  return first < 32 ? first : 32 + Math.clz32(digest.readUInt32BE(4));
}
