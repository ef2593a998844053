// A list of secrets for one purpose: the first makes, all verify.

import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** A secret of a ring. */
export interface RingKey {
  /** First 4 bytes of HMAC-SHA256(secret, `tollgate key id`), as 8 hexadecimal digits. */
  readonly id: string;
  /** The UTF-8 bytes of the configured string. */
  readonly secret: KeyObject;
  /** HKDF-SHA256 (RFC 5869) of the secret with an empty salt: 32 bytes for `purpose`. Equal calls return the same object. */
  derive(purpose: string): KeyObject;
}

/** The secrets of one variable in their configured order. */
export interface KeyRing {
  readonly current: RingKey;
  readonly all: readonly RingKey[];
  /** Returns the key with this id, or undefined. */
  find(id: string): RingKey | undefined;
}

/**
 * Reads a comma-separated list of secrets. The configuration has checked that they are long enough and differ.
 *
 * @throws RangeError if the list is empty
 */
export function openKeyRing(list: string): KeyRing {
  const all = list.split(',').filter(Boolean).map(openKey);
  const [current] = all;
  if (current === undefined) throw new RangeError('a key ring needs at least one secret');
  const byId = new Map(all.map((key) => [key.id, key]));
  return { current, all, find: (id) => byId.get(id) };
}

function openKey(text: string): RingKey {
  const secret = createSecretKey(Buffer.from(text, 'utf8'));
  const derived = new Map<string, KeyObject>();
  return {
    id: createHmac('sha256', secret).update('tollgate key id').digest('hex').slice(0, 8),
    secret,
    derive(purpose) {
      let key = derived.get(purpose);
      if (key === undefined) {
        key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32)));
        derived.set(purpose, key);
      }
      return key;
    },
  };
}

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
