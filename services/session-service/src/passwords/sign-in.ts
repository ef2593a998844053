// Checks a password against the directory, with the same work for every reason to refuse it.

import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import type { AccountDirectory } from '../directory/accounts.js';
import { type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import type { FailureReason } from '../domain/account-event.js';
import { createDummyHash } from './dummy-hash.js';
import type { HashingQueue } from './hashing-queue.js';
import { hashCost, hashPassword, needsRehash, passwordForms, verifyPassword } from './password-hash.js';

/** Checks passwords against a directory. */
export interface SignIn {
  /**
   * Returns the user if the password matches; undefined for a wrong password, an unknown or disabled account, and an
   * account for which the directory returns no usable user. Each case takes the same lookups, and one verification for
   * each form of the password (`passwordForms`): of the user's hash, or of the dummy hash if the account does not exist
   * or its hash is unreadable. Each verification has a place of its own in the queue.
   *
   * @param account the email address as it was typed (`findByAccount`)
   * @param onFailure called with the reason when there is no user to return
   * @throws DirectoryUnavailableError when the directory does not answer
   * @throws HashingOverloadedError when too many passwords are being checked
   */
  check(
    account: string,
    password: string,
    onFailure?: (reason: FailureReason) => void,
  ): Promise<DirectoryUser | undefined>;
  /**
   * Hashes a new password.
   * @throws HashingOverloadedError as `check` does
   */
  hash(password: string): Promise<string>;
}

/** Optional callbacks and the comparison itself. */
export interface SignInOptions {
  /**
   * Called for a user who cannot sign in because the hash is damaged, of an unknown algorithm or too expensive. Not
   * called for an empty hash: that user has no password.
   */
  readonly onUnreadableHash?: (userId: UserId) => void;
  /** Called for an account whose row or rows are not exactly one valid user. */
  readonly onUnusableUser?: (error: UnusableUserError) => void;
  /** Compares a password with a hash; by default `verifyPassword`. */
  readonly verify?: (passwordHash: string, password: string) => Promise<boolean>;
}

/**
 * Creates the check. If the password matches and its hash is outdated, a new hash replaces it, provided the directory
 * can save one.
 * @param onRehashError called when the new hash could not be saved; the log-in still succeeds
 */
export function createSignIn(
  directory: AccountDirectory,
  queue: HashingQueue,
  onRehashError: (error: unknown) => void,
  { onUnreadableHash = () => {}, onUnusableUser = () => {}, verify = verifyPassword }: SignInOptions = {},
): SignIn {
  const dummyHash = createDummyHash();

  const find = async (account: string): Promise<DirectoryUser | undefined> => {
    try {
      return await directory.findByAccount(account);
    } catch (error) {
      // A distinct response would reveal that this account exists.
      if (!(error instanceof UnusableUserError)) throw error;
      onUnusableUser(error);
      return undefined;
    }
  };

  const hashNew = (password: string) => queue.run(() => hashPassword(password));

  /**
   * Returns the user with the hash that the directory has afterwards.
   * @param password the form that matched
   */
  const rehash = async (user: DirectoryUser, password: string): Promise<DirectoryUser> => {
    if (directory.saveHash === undefined || !needsRehash(user.hash, password)) return user;
    try {
      const hash = await hashNew(password);
      if (await directory.saveHash(user.id, user.hash, hash)) return { ...user, hash };
    } catch (error) {
      onRehashError(error);
    }
    return user;
  };

  return {
    async check(account, password, onFailure = () => {}) {
      const user = await find(account);
      const isReadable = user !== undefined && hashCost(user.hash) !== undefined;
      if (user !== undefined) {
        if (isReadable) dummyHash.note(user.id, user.hash);
        else if (user.hash !== '') onUnreadableHash(user.id);
      }
      const passwordHash = isReadable ? user.hash : dummyHash.value;
      for (const form of passwordForms(password)) {
        const matches = await queue.run(() => verify(passwordHash, form));
        if (matches && isReadable && !user.disabled) return rehash(user, form);
      }
      onFailure(reasonOf(user, isReadable));
      return undefined;
    },
    hash: hashNew,
  };
}

function reasonOf(user: DirectoryUser | undefined, isReadable: boolean): FailureReason {
  if (user === undefined) return 'unknown_account';
  if (user.disabled) return 'disabled';
  if (user.hash === '') return 'no_password';
  return isReadable ? 'wrong_password' : 'unreadable_hash';
}
