// The value of the bound cookie, which a browser gets for a signature with the session's key. It is judged without the store.

import { equalText } from '@tollgate/shared/crypto/constant-time.js';
import { type KeyRing, keyedHash, type RingKey } from '@tollgate/shared/crypto/key-ring.js';

/** What the cookie says. */
export interface BoundCookie {
  readonly sid: string;
  /** Of the session's key. */
  readonly thumbprint: string;
  /** Whole seconds since 1970. A thief ignores `Max-Age`, so the value has its own expiry. */
  readonly expiresAt: number;
}

const VERSION = '1';

/**
 * Encodes the cookie: version, key id, session, thumbprint, expiry and MAC, separated by dots.
 * @param ring the keys of `REFRESH_SECRET`; the first one makes
 */
export function formatBoundCookie(ring: KeyRing, { sid, thumbprint, expiresAt }: BoundCookie): string {
  const text = [VERSION, ring.current.id, sid, thumbprint, expiresAt].join('.');
  return `${text}.${macOf(ring.current, text)}`;
}

/**
 * The thumbprint that the cookies of a request prove for a session; undefined if none of them does.
 * @param values values of the cookies of this name
 */
export function boundThumbprint(
  ring: KeyRing,
  values: readonly string[],
  sid: string,
  nowMs: number,
): string | undefined {
  const valid = values.map((value) => read(ring, value));
  return valid.find((cookie) => cookie?.sid === sid && cookie.expiresAt * 1000 > nowMs)?.thumbprint;
}

function read(ring: KeyRing, value: string): BoundCookie | undefined {
  const parts = value.split('.');
  const [version, id = '', sid = '', thumbprint = '', expiresAt, mac = ''] = parts;
  const key = ring.find(id);
  if (parts.length !== 6 || version !== VERSION || key === undefined) return undefined;
  if (!equalText(macOf(key, parts.slice(0, 5).join('.')), mac)) return undefined;
  return { sid, thumbprint, expiresAt: Number(expiresAt) };
}

function macOf(key: RingKey, text: string): string {
  return keyedHash(key.derive('tollgate bound cookie'), text).toString('base64url');
}
