// What happened to an account, as the store keeps it for a while: its log-ins, and those that failed.

/** What is kept of an account; the names are those of the audit stream. */
export type AccountEventName = 'login' | 'login_failed' | 'login_throttled';

/** One event of an account. */
export interface AccountEvent {
  /** The store's time, in milliseconds since 1970. */
  readonly atMs: number;
  readonly event: AccountEventName;
  /** Keyed name of the account: 32 hexadecimal digits. */
  readonly account: string;
  /** Keyed address of the client. */
  readonly address?: string | undefined;
  /** With `login`: the user and the session that began. */
  readonly uid?: number | undefined;
  readonly sid?: string | undefined;
}

/** Log-ins that are kept of one account; the oldest go first. */
export const MOST_LOGINS = 100;

/** Failed log-ins that are kept in one bucket; the oldest go first. */
export const MOST_FAILURES = 200;

/** Buckets of failed log-ins. Strangers choose whom they try, so a list for each account would grow without bound. */
export const BUCKETS = 1024;

/** The bucket of an account, by its keyed name. */
export function bucketOf(account: string): number {
  return Number.parseInt(account.slice(0, 8), 16) % BUCKETS;
}

/** The event without its time, one line: `event account address uid session`, what there is not is `-`. */
export function formatAccountEvent({
  event,
  account,
  address,
  uid,
  sid,
}: Omit<AccountEvent, 'atMs'>): string {
  return [event, account, address ?? '-', uid ?? '-', sid ?? '-'].join(' ');
}

/** Reads the time and what `formatAccountEvent` wrote behind it. */
export function parseAccountEvent(line: string): AccountEvent {
  const [atMs, event, account = '', address, uid, sid] = line.split(' ');
  return {
    ...{ atMs: Number(atMs), event: event as AccountEventName, account },
    ...(isThere(address) ? { address } : {}),
    ...(isThere(uid) ? { uid: Number(uid) } : {}),
    ...(isThere(sid) ? { sid } : {}),
  };
}

function isThere(field: string | undefined): field is string {
  return field !== undefined && field !== '-';
}
