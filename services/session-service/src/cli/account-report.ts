// What an operator is told of an account: in words, and as an object for programs.

import type { AccountEvent } from '../domain/account-event.js';
import type { SessionEnd } from '../domain/session-end.js';
import type { ListedSession } from '../domain/session-entry.js';
import { utcTime } from './utc-time.js';

/** What the store knows of an account. */
export interface KnownAccount {
  readonly events: readonly AccountEvent[];
  /** Of each user who signed in as this account, or was asked for. */
  readonly users: readonly {
    readonly uid: number;
    readonly ends: readonly SessionEnd[];
    readonly alive: readonly ListedSession[];
  }[];
}

/** The answer to `session account`. */
export interface AccountReport {
  readonly isKnown: boolean;
  readonly lines: readonly string[];
  /** The same for programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly atMs: number;
  readonly event: string;
  readonly address?: string | undefined;
  readonly sid?: string | undefined;
  readonly uid?: number | undefined;
}

/**
 * @param name keyed name of the account under the current key, as the audit stream has it
 * @param keepSeconds `AUDIT_TTL`
 */
export function reportAccount(
  email: string,
  name: string,
  { events, users }: KnownAccount,
  keepSeconds: number,
): AccountReport {
  const ends = users.flatMap(({ uid, ends }) => ends.map((end) => ({ ...end, uid, event: end.reason })));
  const history: Entry[] = [...events, ...ends].sort((one, other) => other.atMs - one.atMs);
  const alive = users.flatMap(({ uid, alive }) => alive.map((session) => ({ ...session, uid })));
  const count = (event: string) => events.filter((one) => one.event === event).length;
  const failures = events.filter(({ event }) => event !== 'login');
  const addresses = new Set(failures.map(({ address }) => address)).size;
  const isKnown = history.length + alive.length > 0;
  return {
    isKnown,
    lines: [
      `Account ${email}: \`account\` ${name} in the audit stream.`,
      ...(isKnown
        ? [
            `Log-ins: ${count('login')} succeeded, ${count('login_failed')} failed, ${count('login_throttled')} had to wait; those that did not succeed came from ${addresses} addresses.`,
            ...history.map(lineOf),
            ...alive.map(
              ({ sid, uid, lastUsedAtMs }) =>
                `Alive: session ${sid} of user ${uid}, last used ${utcTime(lastUsedAtMs)}.`,
            ),
          ]
        : [unknownLine(keepSeconds)]),
    ],
    facts: {
      account: name,
      events: history.map(({ atMs, event, address, sid, uid }) => ({
        ...{ at: utcTime(atMs), event },
        ...(uid === undefined ? {} : { user: uid }),
        ...(sid === undefined ? {} : { session: sid }),
        ...(address === undefined ? {} : { address }),
      })),
      alive: alive.map(({ sid, uid, createdAtMs, lastUsedAtMs }) => ({
        ...{ session: sid, user: uid, created_at: utcTime(createdAtMs) },
        last_used_at: utcTime(lastUsedAtMs),
      })),
      kept_seconds: keepSeconds,
    },
  };
}

function lineOf({ atMs, event, sid, uid, address }: Entry): string {
  const isLogIn = event.startsWith('login_') || (event === 'login' && uid !== undefined);
  return [
    utcTime(atMs),
    isLogIn ? event : `ended: ${event}`,
    ...(sid === undefined ? [] : [`session ${sid}`]),
    ...(uid === undefined ? [] : [`user ${uid}`]),
    ...(address === undefined ? [] : [`from ${address}`]),
  ].join('  ');
}

function unknownLine(keepSeconds: number): string {
  if (keepSeconds === 0) return 'Nothing is known of it: no events are kept, AUDIT_TTL is 0.';
  return `Nothing is known of it: nobody tried to sign in as this account within ${keepSeconds} s (AUDIT_TTL), or more recent events of others have taken the place; the audit stream has them all.`;
}
