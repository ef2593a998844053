// HMAC-SHA256 over several parts, cut to 128 bits: how names enter the store without naming anybody.

import { createHmac, type KeyObject } from 'node:crypto';

const SEPARATOR = Buffer.from([0]);

/**
 * HMAC-SHA256 (RFC 2104) of the parts with a zero byte between them, cut to its first 16 bytes.
 * All parts but the last must be free of zero bytes, or two lists of parts could collide.
 */
export function keyedHash(key: KeyObject, ...parts: string[]): Buffer {
  const hmac = createHmac('sha256', key);
  parts.forEach((part, at) => {
    if (at > 0) hmac.update(SEPARATOR);
    hmac.update(part);
  });
  return hmac.digest().subarray(0, 16);
}
