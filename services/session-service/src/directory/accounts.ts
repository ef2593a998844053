// The one place where a user is found by the text of a log-in: the account that is counted is the account that signs in.

import { accountKey, accountSpellings } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import { type Directory, type DirectoryUser, UnusableUserError } from './directory.js';

/** Finds users by account. */
export interface Accounts {
  /**
   * Returns the user whose account key is that of `account`. A directory may compare more loosely than `accountKey`, as
   * a database does whose collation ignores accents: then each spelling of one account would have failures of its own.
   * Somebody with another account key is therefore nobody. The directory is always asked for every spelling of the
   * account (`accountSpellings`), so that the work tells nothing; the spelling that was typed wins.
   * @param account the email address, or what else the directory finds users by, as it was typed
   * @throws DirectoryUnavailableError and UnusableUserError, as `findByEmail` does
   */
  findByAccount(account: string): Promise<DirectoryUser | undefined>;
}

/** A directory that finds users by account, and in no other way by a text of a client. */
export type AccountDirectory = Omit<Directory, 'findByEmail'> & Accounts;

/** Returns the account key of a user: the one under which the failures of the user's log-ins are counted. */
export function accountKeyOf(user: Pick<DirectoryUser, 'account' | 'email'>): string {
  return accountKey(accountOf(user));
}

/** Returns the text by which the directory finds a user. */
export function accountOf({ account, email }: Pick<DirectoryUser, 'account' | 'email'>): string {
  return account ?? email;
}

/**
 * Makes a directory find users by account alone.
 * @param onOtherAccount called with the id of a user whom the directory returned for the key of another account
 */
export function withAccounts<D extends Directory>(
  directory: D,
  onOtherAccount: (userId: UserId) => void,
): Omit<D, 'findByEmail'> & Accounts {
  const { findByEmail, ...rest } = directory;
  return {
    ...rest,
    async findByAccount(account) {
      const key = accountKey(account);
      const find = (spelling: string) => findByEmail.call(directory, spelling).catch(unusable);
      const others = new Set<UserId>();
      try {
        for (const found of await Promise.all(accountSpellings(account).map(find))) {
          if (found instanceof UnusableUserError) throw found;
          if (found === undefined) continue;
          if (accountKeyOf(found) === key) return found;
          others.add(found.id);
        }
        return undefined;
      } finally {
        for (const id of others) onOtherAccount(id);
      }
    },
  };
}

/** The rows of one spelling that are no user do not hide the user of another one. */
function unusable(error: unknown): UnusableUserError {
  if (error instanceof UnusableUserError) return error;
  throw error;
}
