// The embedded directory: users in an SQLite file.

import { createHash } from 'node:crypto';
import { accountKey, accountSpellings } from '@tollgate/shared/challenges';
import type { UserClaims, UserId } from '@tollgate/shared/schemas';
import { type DatabaseFile, openDatabaseFile, type Statement } from '@tollgate/shared/store';
import { type Directory, DirectoryUnavailableError, type DirectoryUser } from './directory.js';

/** A directory that the command `users` can write to. Any spelling of the email address finds the user. */
export interface EmbeddedDirectory extends Required<Directory> {
  /**
   * Adds a user, by default with the next number as id.
   * @param id a text id (isUserId)
   * @returns undefined if the address or the id is taken, possibly by a deleted user
   */
  add(email: string, hash: string, id?: string): Promise<DirectoryUser | undefined>;
  /**
   * Adds users, all or none.
   * @returns the taken values, by index in `users`; none was added unless it is empty
   */
  addAll(users: readonly NewUser[]): Promise<Map<number, Taken>>;
  /** Returns the taken values of these users, by index in `users`. */
  takenOf(users: readonly NewUser[]): Promise<Map<number, Taken>>;
  /** Deletes a user, whose id is never reused; returns undefined if the user is unknown. */
  remove(email: string): Promise<DirectoryUser | undefined>;
  /** Changes a user's address; returns 'taken' if it belongs to another user, undefined if the user is unknown. */
  rename(email: string, newEmail: string): Promise<DirectoryUser | 'taken' | undefined>;
  /** Sets the password hash; returns undefined if the user is unknown. */
  setPassword(email: string, hash: string): Promise<DirectoryUser | undefined>;
  /** Returns undefined if the user is unknown. */
  setDisabled(email: string, disabled: boolean): Promise<DirectoryUser | undefined>;
  /** Replaces the claims; undefined removes them. Returns undefined if the user is unknown. */
  setClaims(email: string, claims: UserClaims | undefined): Promise<DirectoryUser | undefined>;
  /** All users, in the order of their creation. */
  list(): Promise<DirectoryUser[]>;
  /**
   * Writes a copy to a new file, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
  /**
   * Removes the remains of deleted users, and of earlier addresses and hashes, from the file and its log.
   * @returns false if other processes have locked the file, or its disk is full
   */
  purge(): Promise<boolean>;
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
      throw new DirectoryUnavailableError(`the directory ${path} does not respond`, { cause: error });
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
        // The next number must not collide with an imported id.
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
    purge: () => attempt(file.purge()),
    async erase(id) {
      const wasStored = await write(() => rows.erase(id));
      return { wasStored, isPurged: await attempt(file.purge()) };
    },
    close: () => file.close(),
  };
}

/** Users with a number as id come first, in ascending order. */
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

/** A user to add. */
export interface NewUser {
  /** Without it the user gets the next number. */
  readonly id?: UserId | undefined;
  readonly email: string;
  /** Empty for a user without a password. */
  readonly hash: string;
  readonly disabled?: boolean | undefined;
  readonly claims?: UserClaims | undefined;
}

/** The taken value of another user; for an id also of a deleted user. */
export type Taken = 'address' | 'id';

/** The format of the file. */
const USERS_FORMAT = {
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
  CREATE TABLE IF NOT EXISTS user_text_id (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS deleted_user (id INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL) STRICT;
  INSERT INTO identity SELECT lower(hex(randomblob(16))) WHERE NOT EXISTS (SELECT 1 FROM identity)`,
  durable: true,
};

/**
 * The users of a file. Each call is part of a step of the caller. Any spelling of the email address finds the user
 * (accountSpellings); the typed spelling has priority, as for a login.
 */
interface UserRows {
  /** The user whose row has exactly this key. */
  byKey(key: string): DirectoryUser | undefined;
  byId(id: UserId): DirectoryUser | undefined;
  all(): DirectoryUser[];
  identity(): string;
  /** Returns the value that another user shares with this new one. */
  takenOf(user: NewUser): Taken | undefined;
  /** Returns undefined if a value of the user is taken. */
  add(user: NewUser): DirectoryUser | undefined;
  remove(email: string): DirectoryUser | undefined;
  rename(email: string, newEmail: string): DirectoryUser | 'taken' | undefined;
  setHash(email: string, hash: string): DirectoryUser | undefined;
  setDisabled(email: string, disabled: boolean): DirectoryUser | undefined;
  setClaims(email: string, claims: UserClaims | undefined): DirectoryUser | undefined;
  replaceHash(id: UserId, oldHash: string, newHash: string): boolean;
  /** Deletes a user, and replaces a text id by its hash, which is enough to never reuse it. */
  erase(id: UserId): boolean;
}

type Row = Omit<DirectoryUser, 'disabled' | 'claims'> & {
  /** The number of the row: the id of a user without a text id. */
  readonly number: number;
  readonly disabled: number;
  readonly claims: string | null;
};

/** Prepares the statements on a file in this format. */
function openUserRows(file: DatabaseFile): UserRows {
  const select = (rest: string) =>
    file.prepare(
      `SELECT id AS number, coalesce(text, id) AS id, email, hash, disabled, claims FROM user
        LEFT JOIN user_claims USING (id) LEFT JOIN user_text_id USING (id) ${rest}`,
    );
  const [byKey, byText] = [select('WHERE account_key = ?'), select('WHERE text = ?')];
  const byNumber = select('WHERE user.id = ? AND text IS NULL');
  const all = select('ORDER BY user.id');
  const identity = file.prepare('SELECT id FROM identity');
  const insert = file.prepare(
    `INSERT INTO user (id, account_key, email, hash, disabled)
      SELECT max(coalesce((SELECT max(id) FROM user), 0), coalesce((SELECT max(id) FROM deleted_user), 0)) + 1,
        ?, ?, ?, ?`,
  );
  const insertAt = file.prepare(
    'INSERT INTO user (id, account_key, email, hash, disabled) VALUES (?, ?, ?, ?, ?)',
  );
  const numberTaken = file.prepare(
    'SELECT id FROM user WHERE id = ?1 UNION ALL SELECT id FROM deleted_user WHERE id = ?1',
  );
  const update = (assignments: string, where: string) =>
    file.prepare(`UPDATE user SET ${assignments} WHERE ${where}`);
  const replaceHash = update('hash = ?', 'id = ? AND hash = ?');
  const setHash = update('hash = ?', 'id = ?');
  const setDisabled = update('disabled = ?', 'id = ?');
  const setEmail = update('account_key = ?, email = ?', 'id = ?');
  const deleteUser = file.prepare('DELETE FROM user WHERE id = ?');
  const keepId = file.prepare('INSERT OR IGNORE INTO deleted_user (id) VALUES (?)');
  const deleteClaims = file.prepare('DELETE FROM user_claims WHERE id = ?');
  const insertClaims = file.prepare('INSERT INTO user_claims (id, claims) VALUES (?, ?)');
  // The row of a deleted user stays, so that its text is never reused.
  const insertText = file.prepare('INSERT INTO user_text_id (id, text) VALUES (?, ?)');
  const textRow = file.prepare('SELECT id FROM user_text_id WHERE text = ?');
  const hideText = file.prepare('UPDATE user_text_id SET text = ? WHERE text = ?');

  const find = (statement: Statement, key: UserId) => statement.get(key) as Row | undefined;
  const findId = (id: UserId) => find(typeof id === 'number' ? byNumber : byText, id);
  const findKey = (key: string) => userOf(find(byKey, key));
  /** Files of earlier versions have several users with one account key: each was added under its own spelling. */
  const findAll = (email: string) =>
    accountSpellings(email)
      .map((spelling) => find(byKey, spelling))
      .filter((row) => row !== undefined)
      .filter((row) => accountKey(row.email) === accountKey(email));
  /** Changes the user of an address, and returns the changed user. */
  const change = (email: string, work: (number: number) => void) => {
    const [row] = findAll(email);
    if (row === undefined) return undefined;
    work(row.number);
    return userOf(findId(row.id));
  };
  const replaceClaims = (number: number, claims: UserClaims | undefined) => {
    deleteClaims.run(number);
    if (claims !== undefined) insertClaims.run(number, JSON.stringify(claims));
  };
  const removeRow = ({ number }: Row) => {
    keepId.run(number);
    replaceClaims(number, undefined);
    deleteUser.run(number);
  };
  const takenOf: UserRows['takenOf'] = ({ id, email }) => {
    if (findAll(email).length > 0) return 'address';
    if (id === undefined) return undefined;
    const isTaken =
      typeof id === 'number'
        ? numberTaken.get(id) !== undefined
        : [id, hiddenText(id)].some((text) => textRow.get(text) !== undefined);
    return isTaken ? 'id' : undefined;
  };

  return {
    byKey: findKey,
    byId: (id) => userOf(findId(id)),
    all: () => (all.all() as Row[]).map(toUser),
    identity: () => (identity.get() as { id: string }).id,
    takenOf,
    add(user) {
      if (takenOf(user) !== undefined) return undefined;
      const { id, email, hash, disabled = false, claims } = user;
      const key = accountKey(email);
      const values = [key, email.trim(), hash, disabled ? 1 : 0] as const;
      const { lastInsertRowid } =
        typeof id === 'number' ? insertAt.run(id, ...values) : insert.run(...values);
      const number = Number(lastInsertRowid);
      if (typeof id === 'string') insertText.run(number, id);
      replaceClaims(number, claims);
      return findKey(key);
    },
    remove(email) {
      const [row] = findAll(email);
      if (row === undefined) return undefined;
      removeRow(row);
      return toUser(row);
    },
    erase(id) {
      const row = findId(id);
      if (row !== undefined) removeRow(row);
      if (typeof id === 'string') hideText.run(hiddenText(id), id);
      return row !== undefined;
    },
    rename(email, newEmail) {
      const [row] = findAll(email);
      if (row === undefined) return undefined;
      if (findAll(newEmail).some((other) => other.number !== row.number)) return 'taken';
      setEmail.run(accountKey(newEmail), newEmail.trim(), row.number);
      return userOf(findId(row.id));
    },
    setHash: (email, hash) => change(email, (number) => setHash.run(hash, number)),
    setDisabled: (email, disabled) => change(email, (number) => setDisabled.run(disabled ? 1 : 0, number)),
    setClaims: (email, claims) => change(email, (number) => replaceClaims(number, claims)),
    replaceHash(id, oldHash, newHash) {
      const row = findId(id);
      return row !== undefined && Number(replaceHash.run(newHash, row.number, oldHash).changes) === 1;
    },
  };
}

/** The text in place of an erased user's id. No id has a colon. */
function hiddenText(id: string): string {
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

function userOf(row: Row | undefined): DirectoryUser | undefined {
  return row === undefined ? undefined : toUser(row);
}

function toUser({ id, email, hash, disabled, claims }: Row): DirectoryUser {
  const known = claims === null ? {} : { claims: JSON.parse(claims) as UserClaims };
  return { id, email, hash, disabled: disabled !== 0, ...known };
}
