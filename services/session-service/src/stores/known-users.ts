// The store of the users who identify their directory (directory/directory-check.ts).

import { readUserId, type UserId } from '@tollgate/shared/schemas';
import { loadScript, type Store } from '@tollgate/shared/store';
import { KNOWN_USERS_KEY } from './session-keys.js';

/** A remembered user. */
export interface KnownUser {
  readonly id: UserId;
  /** Id of the key of `CHALLENGE_SECRET` under which the pseudonym was made. */
  readonly keyId: string;
  /** Pseudonym of the folded address (foldAccount): the same in processes of all versions. */
  readonly pseudonym: string;
}

/** The store's memory of the directory. */
export interface KnownUsers {
  /** The identity of the directory, if it has one. */
  readonly identity: string | undefined;
  readonly users: readonly KnownUser[];
}

/** Remembered users at most. */
export const MAX_USERS = 8;

/** The remembered users. Each method is one atomic step and throws StoreUnavailableError if the store does not respond. */
export interface KnownUserStore {
  read(): Promise<KnownUsers>;
  /** Adds a user, replaces the entry with the same id, or renews its time. If there are `MAX_USERS` others, adds nothing. */
  remember(user: KnownUser, identity: string | undefined): Promise<KnownUsers>;
  /** Sets the identity, and removes users whose time is older than `userMs`. */
  confirm(identity: string | undefined): Promise<KnownUsers>;
  /** Removes a user and returns whether there was one. */
  forget(id: UserId): Promise<boolean>;
}

/** A change of the text; `KEEP` leaves the identity. */
interface Change {
  readonly identity: string;
  readonly userMs: number;
  readonly goneId?: string;
  readonly added?: string;
}

const SCRIPTS = new URL('../../../lua/', import.meta.url);

const NO_IDENTITY = '-';
const KEEP = '';

/**
 * @param times.keepMs lifetime of the whole entry after the last change, in milliseconds
 * @param times.userMs lifetime of a user after the last `remember`, in milliseconds
 */
export function openKnownUsers(
  store: Store,
  { keepMs, userMs }: { readonly keepMs: number; readonly userMs: number },
): KnownUserStore {
  const change =
    store.kind === 'redis'
      ? redisChange(loadScript<[string, number]>(store.client, SCRIPTS, 'known_users'), keepMs)
      : async (wanted: Change) =>
          store.transact((transaction) => {
            const { nowMs } = transaction;
            const [text, removed] = changed(transaction.get(KNOWN_USERS_KEY) ?? '', wanted, nowMs);
            const expiresAtMs = transaction.expiryOf(KNOWN_USERS_KEY) ?? nowMs + keepMs;
            if (text === '') transaction.remove(KNOWN_USERS_KEY);
            else
              transaction.put(
                KNOWN_USERS_KEY,
                text,
                wanted.goneId === undefined ? nowMs + keepMs : expiresAtMs,
              );
            return [text, removed] as const;
          });
  return {
    read: async () => parseKnownUsers(await store.read(KNOWN_USERS_KEY)),
    async remember({ id, keyId, pseudonym }, identity = NO_IDENTITY) {
      const added = `${id} ${keyId} ${pseudonym}`;
      const [text] = await change({ identity, userMs: 0, added });
      return parseKnownUsers(text);
    },
    async confirm(identity = NO_IDENTITY) {
      const [text] = await change({ identity, userMs });
      return parseKnownUsers(text);
    },
    async forget(id) {
      const [, removed] = await change({ identity: KEEP, userMs: 0, goneId: String(id) });
      return removed > 0;
    },
  };
}

function redisChange(
  script: (keys: string[], args: (string | number)[]) => Promise<[string, number]>,
  keepMs: number,
) {
  return ({ identity, userMs, goneId = '', added = '' }: Change) =>
    script([KNOWN_USERS_KEY], [keepMs, MAX_USERS, userMs, identity, goneId, added]);
}

/** The same as lua/known_users.lua. */
function changed(
  text: string,
  { identity, userMs, goneId, added = '' }: Change,
  nowMs: number,
): [text: string, removed: number] {
  const [before = '', ...lines] = text.split('\n');
  const timed = lines.map((line) => (line.split(' ').length < 4 ? `${line} ${nowMs}` : line));
  const addedId = added.split(' ', 1)[0];
  const kept = timed.filter((line) => {
    const [id, , , seenMs] = line.split(' ');
    if (id === goneId || id === addedId) return false;
    return userMs === 0 || Number(seenMs) > nowMs - userMs;
  });
  const removed = timed.length - kept.length;
  if (added !== '' && kept.length < MAX_USERS) kept.push(`${added} ${nowMs}`);
  if (kept.length === 0) return ['', removed];
  const first = identity === KEEP ? before || NO_IDENTITY : identity;
  return [[first, ...kept].join('\n'), removed];
}

/** One line with the identity, and a line `id key-id pseudonym time` for each user; earlier versions wrote no time. */
function parseKnownUsers(text: string | undefined): KnownUsers {
  const [identity = NO_IDENTITY, ...lines] = text?.split('\n') ?? [];
  const users = lines.map((line) => {
    const [id = '', keyId = '', pseudonym = ''] = line.split(' ');
    return { id: readUserId(id), keyId, pseudonym };
  });
  return { identity: identity === NO_IDENTITY ? undefined : identity, users };
}
