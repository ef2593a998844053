// The encrypted content of a device cookie, and its longest lifetime.

import { type Static, Type } from '@sinclair/typebox';
import { SessionId } from './token-claims.js';

/** Longest lifetime of a device cookie, in seconds: a year. */
export const MAX_DEVICE_TTL_SECONDS = 31_536_000;

/** 128 bits of a hash, as hexadecimal digits. */
const Fingerprint = Type.String({ pattern: '^[0-9a-f]{32}$' });
const Milliseconds = Type.Integer({ minimum: 0 });

/** The claims of a device cookie. Times are milliseconds since 1970. */
export const DeviceClaims = Type.Object({
  /** The session of the login that issued the cookie; it names the device. */
  sid: SessionId,
  /** Fingerprint of the account key. */
  account: Fingerprint,
  /** Fingerprint of the user's id and password hash. */
  password: Fingerprint,
  issuedAtMs: Milliseconds,
  expiresAtMs: Milliseconds,
});
export type DeviceClaims = Static<typeof DeviceClaims>;
