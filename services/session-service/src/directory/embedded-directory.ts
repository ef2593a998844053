// The directory in one file (SQLite).

import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import type { UserClaims } from '@tollgate/shared/schemas/user-claims.js';
import { type DatabaseFile, openDatabaseFile } from '@tollgate/shared/store/database-file.js';
import type { Statement } from '@tollgate/shared/store/sqlite.js';
import { type Directory, DirectoryUnavailableError, type DirectoryUser } from './directory.js';

/** A user to add. */
export interface NewUser {
  readonly email: string;
  /** Empty for a user without a password. */
  readonly hash: string;
  readonly disabled?: boolean | undefined;
  readonly claims?: UserClaims | undefined;
}

/** A directory that the command `users` can write to. */
export interface EmbeddedDirectory extends Required<Directory> {
  /** Adds a user with the next id; returns undefined if the address is taken. */
  add(email: string, hash: string): Promise<DirectoryUser | undefined>;
  /**
   * Adds users with the next ids, all or none.
   * @returns the places in `users` whose address is taken; none was added unless it is empty
   */
  addAll(users: readonly NewUser[]): Promise<number[]>;
  /** Deletes a user, whose id is never given to another one; returns undefined if there is no such user. */
  remove(accountKey: string): Promise<DirectoryUser | undefined>;
  /** Gives a user another address; returns 'taken' if it is that of another user, undefined if there is no such user. */
  rename(accountKey: string, email: string): Promise<DirectoryUser | 'taken' | undefined>;
  /** Sets the password hash; returns undefined if there is no such user. */
  setPassword(accountKey: string, hash: string): Promise<DirectoryUser | undefined>;
  /** Returns undefined if there is no such user. */
  setDisabled(accountKey: string, disabled: boolean): Promise<DirectoryUser | undefined>;
  /** Replaces the claims; undefined are none. Returns undefined if there is no such user. */
  setClaims(accountKey: string, claims: UserClaims | undefined): Promise<DirectoryUser | undefined>;
  /** All users, by ascending id. */
  list(): Promise<DirectoryUser[]>;
  /**
   * Writes a copy into a new file, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
}

const FORMAT = {
  // "tgus" in ASCII.
  applicationId: 0x74677573,
  schema: `CREATE TABLE IF NOT EXISTS user (
    id INTEGER PRIMARY KEY,
    account_key TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    hash TEXT NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS user_claims (id INTEGER PRIMARY KEY, claims TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS deleted_user (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL) STRICT;
  INSERT INTO identity SELECT lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM identity)`,
  durable: true,
};

type Row = Omit<DirectoryUser, 'disabled' | 'claims'> & {
  readonly disabled: number;
  readonly claims: string | null;
};

/**
 * Opens the file, and creates it and its folder if they do not exist. Several processes may open the same file.
 * @throws DirectoryUnavailableError if it cannot be opened
 */
export function openEmbeddedDirectory(path: string): EmbeddedDirectory {
  const file = openFile(path);
  const select = (rest: string) =>
    file.prepare(
      `SELECT id, email, hash, disabled, claims FROM user LEFT JOIN user_claims USING (id) ${rest}`,
    );
  const [byKey, byId, all] = [select('WHERE account_key = ?'), select('WHERE id = ?'), select('ORDER BY id')];
  const identity = file.prepare('SELECT id FROM identity');
  const insert = file.prepare(
    `INSERT INTO user (id, account_key, email, hash, disabled)
      SELECT max(coalesce((SELECT max(id) FROM user), 0), coalesce((SELECT max(id) FROM deleted_user), 0)) + 1,
        ?, ?, ?, ? WHERE true ON CONFLICT DO NOTHING`,
  );
  const update = (assignments: string, where: string) =>
    file.prepare(`UPDATE user SET ${assignments} WHERE ${where}`);
  const replaceHash = update('hash = ?', 'id = ? AND hash = ?');
  const setHash = update('hash = ?', 'account_key = ?');
  const setEmail = update('account_key = ?, email = ?', 'id = ?');
  const deleteUser = file.prepare('DELETE FROM user WHERE id = ?');
  const deleteClaims = file.prepare('DELETE FROM user_claims WHERE id = ?');
  const insertClaims = file.prepare('INSERT INTO user_claims (id, claims) VALUES (?, ?)');
  const keepId = file.prepare('INSERT OR IGNORE INTO deleted_user (id) VALUES (?)');
  const setDisabled = update('disabled = ?', 'account_key = ?');

  const attempt = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw new DirectoryUnavailableError(`the directory ${path} does not answer`, { cause: error });
    }
  };
  const find = (statement: Statement, key: string | number) => userOf(statement.get(key));
  const replaceClaims = (id: number, claims: UserClaims | undefined) => {
    deleteClaims.run(id);
    if (claims !== undefined) insertClaims.run(id, JSON.stringify(claims));
  };
  const insertUser = ({ email, hash, disabled = false, claims }: NewUser): DirectoryUser | undefined => {
    const { changes, lastInsertRowid } = insert.run(accountKey(email), email.trim(), hash, disabled ? 1 : 0);
    if (Number(changes) === 0) return undefined;
    replaceClaims(Number(lastInsertRowid), claims);
    return find(byId, Number(lastInsertRowid));
  };
  const change = (statement: Statement, value: string | number, key: string) =>
    attempt(
      file.write(() => {
        statement.run(value, key);
        return find(byKey, key);
      }),
    );

  return {
    findByEmail: (key) => attempt(file.read(() => find(byKey, key))),
    findById: (id) => attempt(file.read(() => find(byId, id))),
    saveHash: (id, oldHash, newHash) =>
      attempt(file.write(() => Number(replaceHash.run(newHash, id, oldHash).changes) === 1)),
    add: (email, hash) => attempt(file.write(() => insertUser({ email, hash }))),
    addAll: (users) =>
      attempt(
        file.write(() => {
          const isTaken = ({ email }: NewUser) => find(byKey, accountKey(email)) !== undefined;
          const taken = [...users.keys()].filter((place) => isTaken(users[place] as NewUser));
          if (taken.length === 0) for (const user of users) insertUser(user);
          return taken;
        }),
      ),
    remove: (key) =>
      attempt(
        file.write(() => {
          const user = find(byKey, key);
          if (user === undefined) return undefined;
          keepId.run(user.id);
          replaceClaims(user.id, undefined);
          deleteUser.run(user.id);
          return user;
        }),
      ),
    rename: (key, email) =>
      attempt(
        file.write(() => {
          const user = find(byKey, key);
          const other = find(byKey, accountKey(email));
          if (user === undefined) return undefined;
          if (other !== undefined && other.id !== user.id) return 'taken';
          setEmail.run(accountKey(email), email.trim(), user.id);
          return find(byId, user.id);
        }),
      ),
    setPassword: (key, hash) => change(setHash, hash, key),
    setDisabled: (key, disabled) => change(setDisabled, disabled ? 1 : 0, key),
    setClaims: (key, claims) =>
      attempt(
        file.write(() => {
          const user = find(byKey, key);
          if (user !== undefined) replaceClaims(user.id, claims);
          return find(byKey, key);
        }),
      ),
    identity: () => attempt(file.read(() => (identity.get() as { id: string }).id)),
    list: () => attempt(file.read(() => (all.all() as Row[]).map(toUser))),
    health: () => attempt(file.read(() => void byId.get(0))),
    copyTo: (target) => file.copyTo(target),
    close: () => file.close(),
  };
}

function openFile(path: string): DatabaseFile {
  try {
    return openDatabaseFile(path, FORMAT);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DirectoryUnavailableError(`the directory ${path} cannot be opened: ${reason}`, {
      cause: error,
    });
  }
}

function userOf(row: unknown): DirectoryUser | undefined {
  return row === undefined ? undefined : toUser(row as Row);
}

function toUser({ id, email, hash, disabled, claims }: Row): DirectoryUser {
  const known = claims === null ? {} : { claims: JSON.parse(claims) as UserClaims };
  return { id, email, hash, disabled: disabled !== 0, ...known };
}
