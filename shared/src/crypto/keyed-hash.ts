// HMAC-SHA256 over several parts, cut to 128 bits: how identifiers enter the store as pseudonyms.

import { createHmac, type KeyObject } from 'node:crypto';

const SEPARATOR = Buffer.from([0]);

/**
 * Returns the first 16 bytes of the HMAC-SHA256 (RFC 2104) of the parts, separated by zero bytes. Only the last part
 * may contain zero bytes; otherwise two lists of parts could collide.
 */
export function keyedHash(key: KeyObject, ...parts: string[]): Buffer {
  const hmac = createHmac('sha256', key);
  parts.forEach((part, at) => {
    if (at > 0) hmac.update(SEPARATOR);
    hmac.update(part);
  });
  return hmac.digest().subarray(0, 16);
}
