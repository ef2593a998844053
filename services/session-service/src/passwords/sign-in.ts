// Decides whether a password opens an account, with the same work whatever the reason is that it does not.

import { type Directory, type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import { createDummyHash } from './dummy-hash.js';
import type { HashingQueue } from './hashing-queue.js';
import { hashCost, hashPassword, needsRehash, verifyPassword } from './password-hash.js';

/** Checks passwords against a directory. */
export interface SignIn {
  /**
   * The user whose password this is; undefined for a wrong password, an unknown account, a disabled one and one
   * of which the directory returns no usable user. Each of them takes one look into the directory and the verification of one hash: his own, or for an account that does not
   * exist or has no readable hash one of the cost that is most common in the directory.
   *
   * @param key the normalised address (accountKey)
   * @throws DirectoryUnavailableError when the directory does not answer
   * @throws HashingOverloadedError when too many passwords are being checked
   */
  check(key: string, password: string): Promise<DirectoryUser | undefined>;
}

/** What a check may be handed besides. */
export interface SignInOptions {
  /**
   * Hears of a user whom nobody can sign in as, because his hash is damaged, of no known kind or absurdly dear. An
   * empty hash is not worth a word: that user has no password.
   */
  readonly onUnreadableHash?: (userId: number) => void;
  /** Hears of an account whose row or rows are not one user. */
  readonly onUnusableUser?: (error: UnusableUserError) => void;
  /** Compares a password with a hash. */
  readonly verify?: (passwordHash: string, password: string) => Promise<boolean>;
}

/**
 * Makes the check. A right password whose hash is of an old kind is hashed again, where the directory can save it.
 * @param onRehashError gets what kept a new hash from being saved; the log-in succeeds all the same
 */
export function createSignIn(
  directory: Directory,
  queue: HashingQueue,
  onRehashError: (error: unknown) => void,
  { onUnreadableHash = () => {}, onUnusableUser = () => {}, verify = verifyPassword }: SignInOptions = {},
): SignIn {
  const census = createDummyHash();

  const find = async (key: string): Promise<DirectoryUser | undefined> => {
    try {
      return await directory.findByEmail(key);
    } catch (error) {
      // An answer of its own would tell this account from those that do not exist.
      if (!(error instanceof UnusableUserError)) throw error;
      onUnusableUser(error);
      return undefined;
    }
  };

  const rehash = async (user: DirectoryUser, password: string): Promise<void> => {
    if (directory.saveHash === undefined || !needsRehash(user.hash, password)) return;
    try {
      await directory.saveHash(user.id, user.hash, await queue.run(() => hashPassword(password)));
    } catch (error) {
      onRehashError(error);
    }
  };

  return {
    async check(key, password) {
      const user = await find(key);
      const isReadable = user !== undefined && hashCost(user.hash) !== undefined;
      if (user !== undefined) {
        if (isReadable) census.note(user.id, user.hash);
        else if (user.hash !== '') onUnreadableHash(user.id);
      }
      const passwordHash = isReadable ? user.hash : census.dummy;
      const matches = await queue.run(() => verify(passwordHash, password));
      if (!matches || !isReadable || user.disabled) return undefined;
      await rehash(user, password);
      return user;
    },
  };
}
