// Refuses a directory that is empty or another than the one whose users signed in, so that it ends no session.

import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import { startPeriodicTask } from '@tollgate/shared/store/periodic-task.js';
import { KNOWN_USERS_KEY } from '../stores/session-keys.js';
import { type Directory, DirectoryUnavailableError, type DirectoryUser } from './directory.js';
import {
  contradicts,
  formatKnownUsers,
  type KnownUsers,
  parseKnownUsers,
  type Recognition,
  recognise,
  withKnownUser,
} from './known-users.js';

/** The part of a logger that this file uses. */
export interface DirectoryLog {
  info(about: object, message: string): void;
  error(about: object, message: string): void;
}

/** A directory that is checked until `stop` is called. */
export interface CheckedDirectory extends Directory {
  stop(): Promise<void>;
}

const CHECK_MS = 3_600_000;
const RECHECK_MS = 10_000;

const REASONS: Readonly<Record<Exclude<Recognition, 'same'>, string>> = {
  empty: 'it has none of the users who signed in before',
  other: 'its users are others than those who signed in before',
};

/**
 * Wraps a directory. Some users who sign in or refresh are remembered on the store of the sessions. If the directory has
 * none of them, every method throws DirectoryUnavailableError: log-ins are refused, refreshes go on without a directory.
 * It is checked when the store is connected, every hour, and before a user counts as gone.
 * @param options.ring keys of `CHALLENGE_SECRET`, for the pseudonyms
 * @param options.keepMs how long users are remembered: the longest life of a session, in milliseconds
 */
export function withDirectoryCheck(
  directory: Directory,
  {
    store,
    ring,
    keepMs,
    log,
  }: { readonly store: Store; readonly ring: KeyRing; readonly keepMs: number; readonly log: DirectoryLog },
): CheckedDirectory {
  let known: KnownUsers = { identity: undefined, users: [] };
  let recognition: Recognition | undefined;
  let checking: Promise<Recognition> | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const write = (users: KnownUsers) => store.exchange(KNOWN_USERS_KEY, formatKnownUsers(users), keepMs);

  async function look(): Promise<Recognition> {
    await writing;
    known = parseKnownUsers(await store.read(KNOWN_USERS_KEY));
    const found = await recognise(known, directory, ring);
    if (found !== recognition) report(found);
    recognition = found;
    if (found !== 'same') return found;
    known = { identity: await directory.identity?.(), users: known.users };
    if (known.users.length > 0) await write(known);
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
        `the user directory is refused: ${REASONS[found]}. Is a volume or a database missing? Log-ins are answered 503, and no session is ended. If it is right: session accept-directory`,
      );
    } else if (recognition !== undefined) log.info(about, 'the user directory is accepted again');
  }

  function refuseStranger(found: Recognition | undefined): void {
    if (found === undefined || found === 'same') return;
    throw new DirectoryUnavailableError(`the user directory is refused: ${REASONS[found]}`);
  }

  /** Not awaited: a user who is not remembered today is remembered another time. */
  function remember(user: DirectoryUser): void {
    if (recognition !== 'same' || user.disabled) return;
    const users = withKnownUser(known.users, user, ring);
    if (users === known.users) return;
    known = { identity: known.identity, users };
    writing = write(known).catch(() => {});
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
      // The store or the directory does not answer, which others report.
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
    async findById(id) {
      refuseStranger(recognition);
      const user = await directory.findById(id);
      if (user === undefined || contradicts(known.users, user, ring)) refuseStranger(await check());
      if (user !== undefined) remember(user);
      return user;
    },
    async health() {
      await directory.health();
      // Somebody asks whether it is the right one again.
      if (recognition !== undefined && recognition !== 'same') refuseStranger(await check());
    },
    async stop() {
      await task.stop();
      await writing;
    },
  };
}
