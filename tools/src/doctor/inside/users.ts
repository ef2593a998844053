// Checks that the directory responds and that password hashes are as strong as new ones.

import { existsSync } from 'node:fs';
import type { SessionConfig } from '@tollgate/session-service/config.js';
import {
  type Directory,
  DirectoryUnavailableError,
  type DirectoryUser,
  UnusableUserError,
  withAccounts,
} from '@tollgate/session-service/directory/directory.js';
import { openConfiguredDirectory } from '@tollgate/session-service/directory/open-directory.js';
import { parseUsersUrl } from '@tollgate/session-service/directory/users-url.js';
import { hashCost, needsRehash } from '@tollgate/session-service/passwords/password-hash.js';
import type { UserId } from '@tollgate/shared/schemas';
import { type Finding, good, problem, warning } from '../report.js';

/** Facts about the directory. */
interface UserFacts {
  /** The reason why the directory does not respond; undefined if it does. */
  readonly away: string | undefined;
  /** The reason why the returned account is not a user; undefined if it is, or if there is none. */
  readonly unusable: string | undefined;
  /** The user of another account, returned in place of the requested one. */
  readonly other?: UserId | undefined;
  /** Users whose hash was checked: all of a file, otherwise the requested account. */
  readonly seen: number;
  /** The users with an unreadable password hash. */
  readonly unreadable: number;
  /** The users whose hash is cheaper than new ones, or of another function. */
  readonly outdated: number;
  /** Whether old hashes are replaced at a login. */
  readonly replaces: boolean;
}

/** Facts of a directory whose users were not read. */
const NONE = { unusable: undefined, seen: 0, unreadable: 0, outdated: 0 };

/**
 * Opens the configured directory, unless it is a file that does not exist.
 *
 * @param root base folder of relative paths
 * @param email the account to check where users cannot be listed
 * @throws ConfigurationError if the directory cannot be opened
 */
export async function probeUsers(
  config: SessionConfig,
  root: string,
  email: string | undefined,
): Promise<UserFacts> {
  const place = parseUsersUrl(config.usersUrl, root);
  if (place.kind === 'embedded' && !existsSync(place.path)) {
    return { ...NONE, away: `file not found: ${place.path}`, replaces: true };
  }
  const directory = await openConfiguredDirectory(config.usersUrl, root, config.userStatements);
  try {
    return await probeDirectory(directory, email);
  } finally {
    await directory.close();
  }
}

/** Reads the hashes of a directory. @param email the account to check where users cannot be listed */
export async function probeDirectory(directory: Directory, email: string | undefined): Promise<UserFacts> {
  const replaces = directory.saveHash !== undefined;
  try {
    await directory.health();
    let other: UserId | undefined;
    const found = await usersOf(directory, email, (id) => {
      other = id;
    });
    const users = found.filter(({ hash }) => hash !== '');
    const readable = users.filter(({ hash }) => hashCost(hash) !== undefined);
    return {
      away: undefined,
      unusable: undefined,
      other,
      seen: users.length,
      unreadable: users.length - readable.length,
      outdated: readable.filter(({ hash }) => needsRehash(hash, '')).length,
      replaces,
    };
  } catch (error) {
    if (error instanceof UnusableUserError) {
      return { ...NONE, away: undefined, unusable: error.message, replaces };
    }
    if (error instanceof DirectoryUnavailableError) return { ...NONE, away: error.message, replaces };
    throw error;
  }
}

/** Requires a responding directory and readable hashes; warns of weak ones. */
export function diagnoseUsers({
  away,
  unusable,
  other,
  seen,
  unreadable,
  outdated,
  replaces,
}: UserFacts): Finding[] {
  if (away !== undefined) {
    return [
      problem(
        'directory_away',
        `The user directory does not respond from here: ${away}.`,
        'Start it, or correct USERS_URL.',
      ),
    ];
  }
  const found: Finding[] = [];
  if (unusable !== undefined) {
    found.push(
      problem(
        'user_unusable',
        `The --email account cannot log in: ${unusable}.`,
        'Correct its row, or the statement or method that finds it: one user, with every field.',
      ),
    );
  }
  if (other !== undefined) {
    found.push(
      problem(
        'user_of_other_account',
        `The --email account cannot log in: the directory returned user ${other}, who has a different address.`,
        'Let its statement or method compare the whole key, or return the compared value as `account`.',
      ),
    );
  }
  if (unreadable > 0) {
    found.push(
      problem(
        'hashes_unreadable',
        `The password hash of ${amountOf(unreadable)} cannot be read: they cannot log in.`,
        'Hashes must be argon2id, scrypt (PHC) or bcrypt.',
      ),
    );
  }
  if (outdated > 0) {
    found.push(
      warning(
        'hashes_outdated',
        `The password hash of ${amountOf(outdated)} is weaker than new ones.`,
        replaces
          ? 'Each is replaced when its owner logs in.'
          : 'Set USERS_SAVE_HASH, or add saveHash to the module, so that each is replaced when its owner logs in.',
      ),
    );
  }
  if (found.length > 0) return found;
  return [
    good(
      'users',
      seen === 0
        ? 'The user directory responds.'
        : `The password hash of ${amountOf(seen)} is as strong as new ones.`,
    ),
  ];
}

function amountOf(count: number): string {
  return count === 1 ? '1 user' : `${count} users`;
}

async function usersOf(
  directory: Directory,
  email: string | undefined,
  onOtherAccount: (id: UserId) => void,
): Promise<DirectoryUser[]> {
  if ('list' in directory) return (directory as Directory & { list(): Promise<DirectoryUser[]> }).list();
  if (email === undefined) return [];
  const user = await withAccounts(directory, onOtherAccount).findByAccount(email);
  return user === undefined ? [] : [user];
}
