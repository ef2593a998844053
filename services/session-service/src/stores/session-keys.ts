// The keys of the session store.

import { readUserId, type UserId } from '@tollgate/shared/schemas';
import { bucketOf } from '../domain/account-event.js';

/** The prefix of all keys of the session store. */
export const SESSIONS_PREFIX = 'session:';

/**
 * The notes of how a user's sessions ended, the newest first: on Redis a list, on the embedded store a text of lines. The
 * key is in the cluster slot of the user's sessions, so one step ends a session and writes its note. It expires `AUDIT_TTL`
 * after the last note.
 */
export function endNotesKey(uid: UserId): string {
  return `session:{${uid}}:ended`;
}

/** The latest request that voided the device cookies of a user. It expires after the longest lifetime of such a cookie. */
export function deviceVoidKey(uid: UserId): string {
  return `session:{${uid}}:devices`;
}

/** The prefix of the keys of logins, and of no others. */
export const LOGINS_PREFIX = 'session:logins:';

/** The logins of an account under its pseudonym, the newest first. It expires `AUDIT_TTL` after the last. */
export function loginsKey(account: string): string {
  return `${LOGINS_PREFIX}{${account}}`;
}

/** The failed logins of all accounts of a bucket, in the same format. */
export function failuresKey(account: string): string {
  return `session:failures:{${bucketOf(account)}}`;
}

/** The prefix of the keys of sign-in codes, and of no others. */
export const CODE_PREFIX = 'session:code:';

/** The content of a sign-in code. @param hash SHA-256 of the code: 64 hexadecimal digits */
export function signInCodeKey(hash: string): string {
  return `${CODE_PREFIX}${hash}`;
}

/** Some users who have logged in, which identify their directory (directory/directory-check.ts). */
export const KNOWN_USERS_KEY = 'session:directory';

/** The key of the readiness check. */
export const READY_KEY = 'session:ready';

/** The prefix of all keys of users, and of no others. */
export const USER_KEY_PREFIX = 'session:{';

/** The user of a key; undefined for any other key. */
export function userOfKey(key: string): UserId | undefined {
  const text = /^session:\{([^{}]+)\}(?::ended)?$/.exec(key)?.[1];
  return text === undefined ? undefined : readUserId(text);
}
