// Looks at the hashes of a directory: of all users in a file, of one account elsewhere.

import {
  type Directory,
  DirectoryUnavailableError,
  type DirectoryUser,
  UnusableUserError,
} from '@tollgate/session-service/directory/directory.js';
import { hashCost, needsRehash } from '@tollgate/session-service/directory/password-hash.js';
import { accountKey } from '@tollgate/shared/challenges/account-key.js';
import type { UserFacts } from './users.js';

/** Of a directory that was looked at no further. */
const NONE = { unusable: undefined, seen: 0, unreadable: 0, outdated: 0 };

/** @param email the account that is looked at where users cannot be listed; none when undefined */
export async function userFacts(directory: Directory, email: string | undefined): Promise<UserFacts> {
  const replaces = directory.saveHash !== undefined;
  try {
    await directory.health();
    const users = (await usersOf(directory, email)).filter(({ hash }) => hash !== '');
    const readable = users.filter(({ hash }) => hashCost(hash) !== undefined);
    return {
      away: undefined,
      unusable: undefined,
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

/** The facts of a file that is not there. */
export function missingFileFacts(path: string): UserFacts {
  return { ...NONE, away: `there is no file ${path}`, replaces: true };
}

async function usersOf(directory: Directory, email: string | undefined): Promise<DirectoryUser[]> {
  if ('list' in directory) return (directory as Directory & { list(): Promise<DirectoryUser[]> }).list();
  const user = email === undefined ? undefined : await directory.findByEmail(accountKey(email));
  return user === undefined ? [] : [user];
}
