// Rejects a directory that is empty or not the one whose users logged in, so that it ends no session.

import { accountPseudonym, foldAccount } from '@tollgate/shared/challenges';
import type { KeyRing, RingKey } from '@tollgate/shared/crypto';
import type { UserId } from '@tollgate/shared/schemas';
import { type Store, startPeriodicTask } from '@tollgate/shared/store';
import { type KnownUser, type KnownUsers, MAX_USERS, openKnownUsers } from '../stores/known-users.js';
import {
  type Directory,
  DirectoryUnavailableError,
  type DirectoryUser,
  UnusableUserError,
} from './directory.js';

/** The part of a logger that this file uses. */
interface DirectoryLog {
  info(about: object, message: string): void;
  error(about: object, message: string): void;
}

/** A directory that is checked until `stop` is called. */
interface CheckedDirectory extends Directory {
  stop(): Promise<void>;
}

const CHECK_MS = 3_600_000;
const RECHECK_MS = 10_000;

const REASONS: Readonly<Record<Exclude<Recognition, 'same'>, string>> = {
  empty: 'it has none of the users who logged in before',
  other: 'its users differ from those who logged in before',
};

/**
 * Wraps a directory. Some users who log in or refresh are remembered on the session store. If the directory has none of
 * them, every method throws DirectoryUnavailableError: logins are rejected, refreshes continue without a directory. It is
 * checked when the store is connected, before the service is ready, every hour, and before a user counts as gone. A user
 * without sessions is forgotten: another directory could not end any. A directory without the remembered users is accepted
 * when the user of a valid token is in it with the token's address: the remembered ones may all have been deleted.
 * @param options.ring keys of `CHALLENGE_SECRET`, for the pseudonyms
 * @param options.keepMs how long users are remembered after the directory was last accepted: the longest lifetime of a
 * session, in milliseconds
 * @param options.refreshMs how long a session lives without a refresh, in milliseconds
 */
export function withDirectoryCheck(
  directory: Directory,
  {
    store,
    ring,
    keepMs,
    refreshMs,
    log,
  }: {
    readonly store: Store;
    readonly ring: KeyRing;
    readonly keepMs: number;
    readonly refreshMs: number;
    readonly log: DirectoryLog;
  },
): CheckedDirectory {
  // A user's time is up to an hour old, and the next check up to an hour away.
  const stored = openKnownUsers(store, { keepMs, userMs: refreshMs + 2 * CHECK_MS });
  /** By user id: when this process last stored this pseudonym. */
  const remembered = new Map<UserId, { readonly pseudonym: string; readonly atMs: number }>();
  let known: KnownUsers = { identity: undefined, users: [] };
  let recognition: Recognition | undefined;
  let checking: Promise<Recognition> | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  async function look(): Promise<Recognition> {
    await writing;
    known = await stored.read();
    const found = await recognise(known, directory, ring);
    if (found !== recognition) report(found);
    recognition = found;
    if (found !== 'same') return found;
    const identity = await directory.identity?.();
    known = known.users.length > 0 ? await stored.confirm(identity) : { identity, users: [] };
    for (const id of remembered.keys())
      if (!known.users.some((user) => user.id === id)) remembered.delete(id);
    return found;
  }
  function check(): Promise<Recognition> {
    checking ??= look().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  function report(found: Recognition): void {
    const about = { variable: 'USERS_URL' };
    if (found !== 'same') {
      log.error(
        about,
        `the user directory is rejected: ${REASONS[found]}. Is a volume or a database missing? Logins get 503, and no session is ended. If it is correct: session accept-directory`,
      );
    } else if (recognition !== undefined) log.info(about, 'the user directory is accepted again');
  }

  function refuseStranger(found: Recognition | undefined): void {
    if (found === undefined || found === 'same') return;
    throw new DirectoryUnavailableError(`the user directory is rejected: ${REASONS[found]}`);
  }

  /** Not awaited: a user who is not remembered now is remembered another time. */
  function remember(user: DirectoryUser): void {
    if (recognition !== 'same' || user.disabled) return;
    const { id } = user;
    if (known.users.length >= MAX_USERS && !known.users.some((one) => one.id === id)) return;
    const pseudonym = pseudonymOf(user, ring);
    const [before, nowMs] = [remembered.get(id), performance.now()];
    if (before?.pseudonym === pseudonym && nowMs - before.atMs < CHECK_MS) return;
    remembered.set(id, { pseudonym, atMs: nowMs });
    writing = writing
      .then(() => stored.remember({ id, keyId: ring.current.id, pseudonym }, known.identity))
      .then(
        (users) => {
          known = users;
        },
        () => remembered.delete(id),
      );
  }

  /** Accepts the directory if it has this user; the remembered users are then forgotten. */
  async function acceptWith(id: UserId, tokenEmail: string): Promise<void> {
    const user = await directory.findById(id);
    if (user === undefined || foldAccount(user.email) !== foldAccount(tokenEmail)) return;
    for (const gone of known.users) await stored.forget(gone.id);
    remembered.clear();
    report('same');
    recognition = 'same';
    known = { identity: await directory.identity?.(), users: [] };
    remember(user);
    await writing;
  }

  const task = startPeriodicTask(
    store,
    async () => {
      await check();
    },
    {
      everyMs: () => (recognition === 'same' ? CHECK_MS : RECHECK_MS),
      retryMs: RECHECK_MS,
      afterReconnect: true,
      // The store or the directory does not respond, which other checks report.
      onFailure: () => {},
    },
  );

  return {
    ...directory,
    async findByEmail(key) {
      refuseStranger(recognition);
      const user = await directory.findByEmail(key);
      if (user !== undefined) remember(user);
      return user;
    },
    async findById(id, tokenEmail) {
      if (recognition === 'empty' && tokenEmail !== undefined) await acceptWith(id, tokenEmail);
      refuseStranger(recognition);
      const user = await directory.findById(id);
      if (user === undefined || contradicts(known.users, user, ring)) refuseStranger(await check());
      if (user !== undefined) remember(user);
      return user;
    },
    async health() {
      await directory.health();
      // A ready service remembers its users from the first login on. A store outage is reported by the store's own check.
      if (recognition === undefined) await check().catch(() => undefined);
      // The directory may have been repaired or accepted meanwhile.
      else if (recognition !== 'same') await check();
      refuseStranger(recognition);
    },
    async stop() {
      await task.stop();
      await writing;
    },
  };
}

/** `same` also if nothing is remembered; `empty` if it has none of the remembered users; `other` if they differ. */
type Recognition = 'same' | 'empty' | 'other';

/** Whether a directory's user differs from the remembered one with the same id. */
function contradicts(users: readonly KnownUser[], user: DirectoryUser, ring: KeyRing): boolean {
  const known = users.find(({ id }) => id === user.id);
  return known !== undefined && !isSameUser(known, user, ring);
}

/**
 * Determines whether a directory is the one whose users are remembered. If only one is remembered, another address means that
 * this user changed it, unless the directory has an identity: in such a directory addresses do not change.
 * @throws DirectoryUnavailableError if the directory does not respond
 */
async function recognise(
  { identity, users }: KnownUsers,
  directory: Directory,
  ring: KeyRing,
): Promise<Recognition> {
  if (users.length === 0) return 'same';
  const identityNow = await directory.identity?.();
  if (identityNow !== undefined && identityNow === identity) return 'same';
  let isEmpty = true;
  for (const known of users) {
    const found = await findUser(directory, known.id);
    if (found === 'unusable' || (found !== undefined && isSameUser(known, found, ring))) return 'same';
    if (found !== undefined) isEmpty = false;
  }
  if (isEmpty) return 'empty';
  return users.length === 1 && identityNow === undefined ? 'same' : 'other';
}

async function findUser(directory: Directory, id: UserId): Promise<DirectoryUser | 'unusable' | undefined> {
  try {
    return await directory.findById(id);
  } catch (error) {
    if (error instanceof UnusableUserError) return 'unusable';
    throw error;
  }
}

/** Without the earlier key only the id can be compared. */
function isSameUser({ keyId, pseudonym }: KnownUser, user: DirectoryUser, ring: KeyRing): boolean {
  const key = ring.find(keyId);
  return key === undefined || pseudonymUnder(key, user.email) === pseudonym;
}

function pseudonymOf(user: DirectoryUser, ring: KeyRing): string {
  return pseudonymUnder(ring.current, user.email);
}

/** Of the remembered users, by key and address. */
const pseudonyms = new Map<string, string>();

/** Every refresh of a remembered user needs it several times. */
function pseudonymUnder(key: RingKey, email: string): string {
  const cacheKey = `${key.id} ${email}`;
  let pseudonym = pseudonyms.get(cacheKey);
  if (pseudonym === undefined) {
    pseudonym = accountPseudonym(key, APPLICATION, foldAccount(email));
    if (pseudonyms.size >= 4 * MAX_USERS) pseudonyms.clear();
    pseudonyms.set(cacheKey, pseudonym);
  }
  return pseudonym;
}

/** Separates these pseudonyms from those for failure counts. */
const APPLICATION = 'tollgate directory';
