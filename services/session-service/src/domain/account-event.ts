// Events of an account that the store keeps for a while: logins and failed logins.

import { readUserId, type UserId } from '@tollgate/shared/schemas';

/** The stored events, named as in the audit stream; `login_refused` is its `challenge_refused` at a login. */
export type AccountEventName = 'login' | 'login_failed' | 'login_throttled' | 'login_refused';

/** Why a password login failed. Clients are not told the reason. */
export type FailureReason =
  | 'unknown_account'
  | 'wrong_password'
  | 'disabled'
  | 'no_password'
  | 'unreadable_hash';

/** One event of an account. */
export interface AccountEvent {
  /** The store's time, in milliseconds since 1970. */
  readonly atMs: number;
  readonly event: AccountEventName;
  /** With `login_failed` a FailureReason, with `login_refused` the error code; missing in events of earlier versions. */
  readonly reason?: string | undefined;
  /** Pseudonym of the account: 32 hexadecimal digits. */
  readonly account: string;
  /** Pseudonym of the client's address. */
  readonly address?: string | undefined;
  /** With `login`: the user and the session that started. */
  readonly uid?: UserId | undefined;
  readonly sid?: string | undefined;
}

/** Logins stored per account; the oldest are dropped first. */
export const MAX_LOGINS = 100;

/** Failed logins stored per bucket; the oldest are dropped first. */
export const MAX_FAILURES = 200;

/**
 * Buckets of failed logins. Attackers choose the attempted account names, so a list per account would grow without bound.
 */
export const BUCKETS = 1024;

/** The bucket of an account, by its pseudonym. */
export function bucketOf(account: string): number {
  return Number.parseInt(account.slice(0, 8), 16) % BUCKETS;
}

/** Encodes an event without its time, as `event:reason account address uid session`; a missing field is `-`. */
export function formatAccountEvent({
  event,
  reason,
  account,
  address,
  uid,
  sid,
}: Omit<AccountEvent, 'atMs'>): string {
  return [
    reason === undefined ? event : `${event}:${reason}`,
    account,
    address ?? '-',
    uid ?? '-',
    sid ?? '-',
  ].join(' ');
}

/** Decodes the time followed by the result of `formatAccountEvent`. */
export function parseAccountEvent(text: string): AccountEvent {
  const [atMs, what = '', account = '', address, uid, sid] = text.split(' ');
  const [event, reason] = what.split(':');
  return {
    atMs: Number(atMs),
    event: event as AccountEventName,
    account,
    ...(reason === undefined ? {} : { reason }),
    ...(isPresent(address) ? { address } : {}),
    ...(isPresent(uid) ? { uid: readUserId(uid) } : {}),
    ...(isPresent(sid) ? { sid } : {}),
  };
}

function isPresent(field: string | undefined): field is string {
  return field !== undefined && field !== '-';
}
