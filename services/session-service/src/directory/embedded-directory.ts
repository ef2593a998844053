// The directory in one file (LMDB): users by id, ids by account key.

import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { makePrivateDatabase } from '@tollgate/shared/store/private-file.js';
import { checkDatabaseFile } from '@tollgate/shared/store/shared-database.js';
import { type Database, open, type RootDatabase } from 'lmdb';
import { type Directory, DirectoryUnavailableError, type DirectoryUser } from './directory.js';

/** A directory that the command `users` can write to. */
export interface EmbeddedDirectory extends Required<Directory> {
  /** Adds a user with the next id; returns undefined if the address is taken. */
  add(email: string, hash: string): Promise<DirectoryUser | undefined>;
  /** Sets the password hash; returns undefined if there is no such user. */
  setPassword(accountKey: string, hash: string): Promise<DirectoryUser | undefined>;
  /** Returns undefined if there is no such user. */
  setDisabled(accountKey: string, disabled: boolean): Promise<DirectoryUser | undefined>;
  /** All users, by ascending id. */
  list(): Promise<DirectoryUser[]>;
}

// LMDB keys have at most 1,978 bytes, and no account key is longer than this.
const MAX_KEY_BYTES = 1024;

/**
 * Opens the file, and creates it and its folder if they do not exist. Several processes may open the same file.
 * @throws DirectoryUnavailableError if it cannot be opened
 */
export function openEmbeddedDirectory(path: string): EmbeddedDirectory {
  let root: RootDatabase;
  let users: Database<DirectoryUser, number>;
  let ids: Database<number, string>;
  try {
    checkDatabaseFile(path);
    makePrivateDatabase(path);
    root = open({ path, noSubdir: true, maxDbs: 2 });
    users = root.openDB<DirectoryUser, number>({ name: 'users', encoding: 'json' });
    ids = root.openDB<number, string>({ name: 'ids', encoding: 'json' });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DirectoryUnavailableError(`the directory ${path} cannot be opened: ${reason}`, {
      cause: error,
    });
  }

  const attempt = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new DirectoryUnavailableError(`the directory ${path} does not answer`, { cause: error });
    }
  };
  const byEmail = (key: string): DirectoryUser | undefined => {
    const id = Buffer.byteLength(key) > MAX_KEY_BYTES ? undefined : ids.get(key);
    return id === undefined ? undefined : users.get(id);
  };
  const change = (
    find: () => DirectoryUser | undefined,
    edit: (user: DirectoryUser) => Partial<DirectoryUser>,
  ): Promise<DirectoryUser | undefined> =>
    attempt(() =>
      root.transaction(() => {
        const user = find();
        if (user === undefined) return undefined;
        const changed = { ...user, ...edit(user) };
        users.put(user.id, changed);
        return changed;
      }),
    );

  return {
    findByEmail: (key) => attempt(() => byEmail(key)),
    findById: (id) => attempt(() => users.get(id)),
    async saveHash(id, oldHash, newHash) {
      const matching = () => {
        const user = users.get(id);
        return user?.hash === oldHash ? user : undefined;
      };
      return (await change(matching, () => ({ hash: newHash }))) !== undefined;
    },
    add: (email, hash) =>
      attempt(() =>
        root.transaction(() => {
          const key = accountKey(email);
          if (ids.get(key) !== undefined) return undefined;
          const [last = 0] = users.getKeys({ reverse: true, limit: 1 });
          const user = { id: last + 1, email: email.trim(), hash, disabled: false };
          users.put(user.id, user);
          ids.put(key, user.id);
          return user;
        }),
      ),
    setPassword: (key, hash) =>
      change(
        () => byEmail(key),
        () => ({ hash }),
      ),
    setDisabled: (key, disabled) =>
      change(
        () => byEmail(key),
        () => ({ disabled }),
      ),
    list: () => attempt(() => [...users.getRange()].map(({ value }) => value)),
    health: () => attempt(() => void users.get(0)),
    close: () => root.close(),
  };
}
