// The report on an account, for `session account`: collects and words the store's data.

import { accountKey, accountPseudonym, accountSpellings } from '@tollgate/shared/challenges';
import { SESSION_APPLICATION } from '@tollgate/shared/config';
import type { KeyRing } from '@tollgate/shared/crypto';
import type { UserId } from '@tollgate/shared/schemas';
import type { Store } from '@tollgate/shared/store';
import type { AccountEvent } from '../domain/account-event.js';
import type { SessionEnd } from '../domain/session-end.js';
import type { ListedSession } from '../domain/session-entry.js';
import { openAccountEvents } from '../stores/account-events.js';
import { openSessionStore } from '../stores/open-session-store.js';
import { type Report, utcTime } from './report.js';

/** The store's data on an account. */
interface KnownAccount {
  readonly email: string;
  /** Pseudonym of the account under the current key, as in the audit stream. */
  readonly pseudonym: string;
  readonly events: readonly AccountEvent[];
  /** Every user who logged in to this account, and the requested user. */
  readonly users: readonly {
    readonly uid: UserId;
    readonly ends: readonly SessionEnd[];
    readonly alive: readonly ListedSession[];
  }[];
}

interface Entry {
  readonly atMs: number;
  readonly event: string;
  readonly reason?: string | undefined;
  readonly address?: string | undefined;
  readonly sid?: string | undefined;
  readonly uid?: UserId | undefined;
}

/**
 * Collects all data on an account under every key of the ring: logins, failed logins, and the ended and live sessions of its
 * users. The users are those of the logins, and `uid`.
 *
 * @throws StoreUnavailableError if the store does not respond
 */
export async function findAccount(
  store: Store,
  ring: KeyRing,
  { email, uid }: { readonly email: string; readonly uid: UserId | undefined },
): Promise<KnownAccount> {
  const accounts = openAccountEvents(store, 0);
  const key = accountKey(email);
  // Events of earlier versions may be under another spelling.
  const pseudonyms = ring.all.flatMap((secret) =>
    accountSpellings(email).map((spelling) => accountPseudonym(secret, SESSION_APPLICATION, spelling)),
  );
  const events = (await Promise.all(pseudonyms.map((pseudonym) => accounts.read(pseudonym)))).flat();
  const uids = new Set(events.flatMap((event) => (event.uid === undefined ? [] : [event.uid])));
  if (uid !== undefined) uids.add(uid);
  const sessions = openSessionStore(store);
  const users = await Promise.all(
    [...uids].map(async (user) => ({
      uid: user,
      ends: await sessions.ends(user),
      alive: await sessions.list(user),
    })),
  );
  return { email, pseudonym: accountPseudonym(ring.current, SESSION_APPLICATION, key), events, users };
}

/** @param keepSeconds `AUDIT_TTL` */
export function reportAccount(
  { email, pseudonym, events, users }: KnownAccount,
  keepSeconds: number,
): Report {
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
      `Account ${email}: \`account\` ${pseudonym} in the audit stream.`,
      ...(isKnown
        ? [
            `Logins: ${count('login')} succeeded, ${count('login_failed')} failed, ${count('login_throttled')} had to wait, ${count('login_refused')} failed the challenge; unsuccessful ones came from ${addresses} ${addresses === 1 ? 'address' : 'addresses'}.`,
            ...history.map(describeEntry),
            ...alive.map(
              ({ sid, uid, lastUsedAtMs }) =>
                `Alive: session ${sid} of user ${uid}, last used ${utcTime(lastUsedAtMs)}.`,
            ),
          ]
        : [explainUnknown(keepSeconds)]),
    ],
    facts: {
      account: pseudonym,
      events: history.map(({ atMs, event, reason, address, sid, uid }) => ({
        at: utcTime(atMs),
        event,
        ...(reason === undefined || !isLogIn(event) ? {} : { reason }),
        ...(uid === undefined ? {} : { user: uid }),
        ...(sid === undefined ? {} : { session: sid }),
        ...(address === undefined ? {} : { address }),
      })),
      alive: alive.map(({ sid, uid, createdAtMs, lastUsedAtMs }) => ({
        session: sid,
        user: uid,
        created_at: utcTime(createdAtMs),
        last_used_at: utcTime(lastUsedAtMs),
      })),
      kept_seconds: keepSeconds,
    },
  };
}

/** Descriptions of event reasons; a support person reads them to the user. */
const REASONS: Readonly<Record<string, string>> = {
  unknown_account: 'unknown account',
  wrong_password: 'wrong password',
  disabled: 'the account is disabled',
  no_password: 'the account has no password',
  unreadable_hash: 'the password hash cannot be read',
  captcha_required: 'an image was required and not sent',
  captcha_invalid: 'the image answer was wrong, too fast or too late',
  pow_insufficient: 'the proof of work was too easy for this account',
  pow_invalid: 'the proof of work was wrong or too late',
  preset_refused: 'the form does not accept this kind of image',
};

const isLogIn = (event: string) => event.startsWith('login_');

function describeEntry({ atMs, event, reason, sid, uid, address }: Entry): string {
  const isAttempt = isLogIn(event) || (event === 'login' && uid !== undefined);
  const why = isLogIn(event) && reason !== undefined ? (REASONS[reason] ?? reason) : undefined;
  return [
    utcTime(atMs),
    isAttempt ? event : `ended: ${event}`,
    ...(why === undefined ? [] : [`(${why})`]),
    ...(sid === undefined ? [] : [`session ${sid}`]),
    ...(uid === undefined ? [] : [`user ${uid}`]),
    ...(address === undefined ? [] : [`from ${address}`]),
  ].join('  ');
}

function explainUnknown(keepSeconds: number): string {
  if (keepSeconds === 0) return 'No data: events are not stored, AUDIT_TTL is 0.';
  return `No data: there was no login attempt for this account within ${keepSeconds} s (AUDIT_TTL), more recent events of other accounts have displaced it, or CHALLENGE_SECRET has changed; the audit stream has them all.`;
}
