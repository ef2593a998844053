// Which device cookies make a device known: their bindings, and their voids (docs/decisions/known-devices.md).

import { hash } from 'node:crypto';
import { equalText } from '@tollgate/shared/crypto';
import type { DeviceClaims, UserId } from '@tollgate/shared/schemas';

/** The user's fields that a device cookie is bound to. */
export interface DeviceUser {
  readonly id: UserId;
  readonly hash: string;
}

/** The login that issues a device cookie. */
export interface DeviceLogIn {
  /** The account key of the login. */
  readonly key: string;
  readonly user: DeviceUser;
  /** The session that it started. */
  readonly sid: string;
  /** The store's time of the login, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The latest request that voided the device cookies of a user. */
export interface DeviceVoid {
  /** The store's time, in milliseconds since 1970. */
  readonly atMs: number;
  /** The session whose device stays known. */
  readonly exceptSid: string | undefined;
  /**
   * When an earlier request voided the device of that session, in milliseconds since 1970: a void is permanent. Undefined if
   * none did.
   */
  readonly voidUntilMs?: number;
}

/** Returns the claims of a login's cookie. The session id is the salt of its fingerprints. */
export function deviceClaims({ key, user, sid, nowMs }: DeviceLogIn, ttlSeconds: number): DeviceClaims {
  return {
    sid,
    account: fingerprint(sid, key),
    password: fingerprint(sid, passwordText(user)),
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + ttlSeconds * 1000,
  };
}

/**
 * Returns whether a cookie belongs to this account and has not expired. The current lifetime applies too, so that a shorter
 * one takes effect at once.
 */
export function isForAccount(claims: DeviceClaims, key: string, nowMs: number, ttlSeconds: number): boolean {
  const expiresAtMs = Math.min(claims.expiresAtMs, claims.issuedAtMs + ttlSeconds * 1000);
  return nowMs < expiresAtMs && hasFingerprint(claims.account, claims.sid, key);
}

/** Returns whether a cookie is void: the user has changed the password since, or sessions were ended elsewhere. */
export function isVoid(claims: DeviceClaims, user: DeviceUser, latest: DeviceVoid | undefined): boolean {
  if (!hasFingerprint(claims.password, claims.sid, passwordText(user))) return true;
  if (latest === undefined || claims.issuedAtMs > latest.atMs) return false;
  return (
    claims.sid !== latest.exceptSid || claims.issuedAtMs <= (latest.voidUntilMs ?? Number.NEGATIVE_INFINITY)
  );
}

/** Returns the void that follows another one. @param exceptSid the session whose device stays known, if it still is */
export function nextVoid(
  before: DeviceVoid | undefined,
  atMs: number,
  exceptSid: string | undefined,
): DeviceVoid {
  if (exceptSid === undefined || before === undefined) return { atMs, exceptSid };
  const voidUntilMs = before.exceptSid === exceptSid ? before.voidUntilMs : before.atMs;
  return { atMs, exceptSid, ...(voidUntilMs !== undefined && { voidUntilMs }) };
}

/** Returns the key for counting the failures of a device. Account keys have no capital letters, so none is equal. */
export function deviceKey({ sid }: Pick<DeviceClaims, 'sid'>): string {
  return `Device ${sid}`;
}

/** The values that change with the password. */
function passwordText(user: DeviceUser): string {
  return `${user.id} ${user.hash}`;
}

const FINGERPRINT_DIGITS = 32;

/**
 * Returns 128 bits of the SHA-256 of salt and text, as 32 hexadecimal digits.
 * @param salt without spaces
 */
function fingerprint(salt: string, text: string): string {
  return hash('sha256', `${salt} ${text}`).slice(0, FINGERPRINT_DIGITS);
}

/** Returns whether this is the fingerprint of the text under the salt, in constant time. */
function hasFingerprint(print: string, salt: string, text: string): boolean {
  return equalText(print, fingerprint(salt, text));
}
