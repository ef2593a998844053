// The directory in one file (SQLite).

import type { UserClaims } from '@tollgate/shared/schemas/user-claims.js';
import { type DatabaseFile, openDatabaseFile } from '@tollgate/shared/store/database-file.js';
import { type Directory, DirectoryUnavailableError, type DirectoryUser } from './directory.js';
import { type NewUser, openUserRows, type Taken, USERS_FORMAT } from './user-rows.js';

/** A directory that the command `users` can write to. A user is found by any spelling of the email address. */
export interface EmbeddedDirectory extends Required<Directory> {
  /**
   * Adds a user, by default with the next number as id.
   * @param id a text id (isUserId)
   * @returns undefined if the address is taken, or the id, which may be that of a deleted user
   */
  add(email: string, hash: string, id?: string): Promise<DirectoryUser | undefined>;
  /**
   * Adds users, all or none.
   * @returns what is taken, by the place in `users`; none was added unless it is empty
   */
  addAll(users: readonly NewUser[]): Promise<Map<number, Taken>>;
  /** Returns what is taken of these users, by the place in `users`. */
  takenOf(users: readonly NewUser[]): Promise<Map<number, Taken>>;
  /** Deletes a user, whose id is never given to another one; returns undefined if there is no such user. */
  remove(email: string): Promise<DirectoryUser | undefined>;
  /** Gives a user another address; returns 'taken' if it is that of another user, undefined if there is no such user. */
  rename(email: string, newEmail: string): Promise<DirectoryUser | 'taken' | undefined>;
  /** Sets the password hash; returns undefined if there is no such user. */
  setPassword(email: string, hash: string): Promise<DirectoryUser | undefined>;
  /** Returns undefined if there is no such user. */
  setDisabled(email: string, disabled: boolean): Promise<DirectoryUser | undefined>;
  /** Replaces the claims; undefined are none. Returns undefined if there is no such user. */
  setClaims(email: string, claims: UserClaims | undefined): Promise<DirectoryUser | undefined>;
  /** All users, in the order in which they were added. */
  list(): Promise<DirectoryUser[]>;
  /**
   * Writes a copy into a new file, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
}

/**
 * Opens the file, and creates it and its folder if they do not exist. Several processes may open the same file.
 * @throws DirectoryUnavailableError if it cannot be opened
 */
export function openEmbeddedDirectory(path: string): EmbeddedDirectory {
  const file = openFile(path);
  const rows = openUserRows(file);

  const attempt = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw new DirectoryUnavailableError(`the directory ${path} does not answer`, { cause: error });
    }
  };
  const read = <T>(work: () => T) => attempt(file.read(work));
  const write = <T>(work: () => T) => attempt(file.write(work));
  const takenOf = (users: readonly NewUser[]) => {
    const taken = new Map<number, Taken>();
    for (const [place, user] of users.entries()) {
      const what = rows.takenOf(user);
      if (what !== undefined) taken.set(place, what);
    }
    return taken;
  };

  return {
    findByEmail: (key) => read(() => rows.byKey(key)),
    findById: (id) => read(() => rows.byId(id)),
    saveHash: (id, oldHash, newHash) => write(() => rows.replaceHash(id, oldHash, newHash)),
    add: (email, hash, id) => write(() => rows.add({ email, hash, id })),
    addAll: (users) =>
      write(() => {
        const taken = takenOf(users);
        // The next number must not be one that a later user brings along.
        const inOrder = users.toSorted((one, other) => rankOf(one) - rankOf(other));
        if (taken.size === 0) for (const user of inOrder) rows.add(user);
        return taken;
      }),
    takenOf: (users) => read(() => takenOf(users)),
    remove: (email) => write(() => rows.remove(email)),
    rename: (email, newEmail) => write(() => rows.rename(email, newEmail)),
    setPassword: (email, hash) => write(() => rows.setHash(email, hash)),
    setDisabled: (email, disabled) => write(() => rows.setDisabled(email, disabled)),
    setClaims: (email, claims) => write(() => rows.setClaims(email, claims)),
    identity: () => read(rows.identity),
    list: () => read(rows.all),
    health: () => read(() => void rows.byId(0)),
    copyTo: (target) => file.copyTo(target),
    close: () => file.close(),
  };
}

/** Users with a number as id come first, in the order of their numbers. */
function rankOf({ id }: NewUser): number {
  return typeof id === 'number' ? id : Number.MAX_SAFE_INTEGER;
}

function openFile(path: string): DatabaseFile {
  try {
    return openDatabaseFile(path, USERS_FORMAT);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DirectoryUnavailableError(`the directory ${path} cannot be opened: ${reason}`, {
      cause: error,
    });
  }
}
