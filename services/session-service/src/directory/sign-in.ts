// Decides whether a password opens an account, with the same work whatever the reason is that it does not.

import type { Directory, DirectoryUser } from './directory.js';
import type { HashingQueue } from './hashing-queue.js';
import { dummyHash, hashPassword, needsRehash, verifyPassword } from './password-hash.js';

/** Checks passwords against a directory. */
export interface SignIn {
  /**
   * The user whose password this is; undefined for a wrong password, an unknown account and a disabled one.
   *
   * @param key the normalised address (account-key.ts)
   * @throws DirectoryUnavailableError when the directory does not answer
   * @throws HashingOverloadedError when too many passwords are being checked
   */
  check(key: string, password: string): Promise<DirectoryUser | undefined>;
}

/**
 * Makes the check. A right password whose hash is of an old kind is hashed again.
 * @param onRehashError gets what kept a new hash from being saved; the log-in succeeds all the same
 */
export function createSignIn(
  directory: Directory,
  queue: HashingQueue,
  onRehashError: (error: unknown) => void,
): SignIn {
  return {
    async check(key, password) {
      const user = await directory.findByEmail(key);
      const right = await queue.run(async () => verifyPassword(user?.hash ?? (await dummyHash()), password));
      if (!right || user === undefined || user.disabled) return undefined;
      if (needsRehash(user.hash)) {
        try {
          await directory.saveHash(user.id, user.hash, await queue.run(() => hashPassword(password)));
        } catch (error) {
          onRehashError(error);
        }
      }
      return user;
    },
  };
}
