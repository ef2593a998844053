// The tables of the embedded directory, and what runs on them within one step.

import { accountKey, accountSpellings } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { UserClaims } from '@tollgate/shared/schemas/user-claims.js';
import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import type { DatabaseFile } from '@tollgate/shared/store/database-file.js';
import type { Statement } from '@tollgate/shared/store/sqlite.js';
import type { DirectoryUser } from './directory.js';

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

/** What another user has already. Of an id also a user who was deleted. */
export type Taken = 'address' | 'id';

/** The format of the file. */
export const USERS_FORMAT = {
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
 * The users of a file. Each call is part of a step of the caller. A user is found by any spelling of the email address
 * (accountSpellings); the spelling that was typed wins, as for a log-in.
 */
export interface UserRows {
  /** The user whose row has exactly this key. */
  byKey(key: string): DirectoryUser | undefined;
  byId(id: UserId): DirectoryUser | undefined;
  all(): DirectoryUser[];
  identity(): string;
  /** Returns what another user has of this new one. */
  takenOf(user: NewUser): Taken | undefined;
  /** Returns undefined if something of the user is taken. */
  add(user: NewUser): DirectoryUser | undefined;
  remove(email: string): DirectoryUser | undefined;
  rename(email: string, newEmail: string): DirectoryUser | 'taken' | undefined;
  setHash(email: string, hash: string): DirectoryUser | undefined;
  setDisabled(email: string, disabled: boolean): DirectoryUser | undefined;
  setClaims(email: string, claims: UserClaims | undefined): DirectoryUser | undefined;
  replaceHash(id: UserId, oldHash: string, newHash: string): boolean;
}

type Row = Omit<DirectoryUser, 'disabled' | 'claims'> & {
  /** The number of the row: the id of a user without a text id. */
  readonly number: number;
  readonly disabled: number;
  readonly claims: string | null;
};

/** Prepares the statements on a file in this format. */
export function openUserRows(file: DatabaseFile): UserRows {
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
  // The row of a deleted user stays, so that its text is never given to another one.
  const insertText = file.prepare('INSERT INTO user_text_id (id, text) VALUES (?, ?)');
  const textRow = file.prepare('SELECT id FROM user_text_id WHERE text = ?');

  const find = (statement: Statement, key: UserId) => statement.get(key) as Row | undefined;
  const findId = (id: UserId) => find(typeof id === 'number' ? byNumber : byText, id);
  const findKey = (key: string) => userOf(find(byKey, key));
  /** Files of before have users with one account key: each was added under a spelling of its own. */
  const findAll = (email: string) =>
    accountSpellings(email)
      .map((spelling) => find(byKey, spelling))
      .filter((row) => row !== undefined)
      .filter((row) => accountKey(row.email) === accountKey(email));
  /** Changes the user of an address, and returns the user as it is afterwards. */
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
  const takenOf: UserRows['takenOf'] = ({ id, email }) => {
    if (findAll(email).length > 0) return 'address';
    if (id === undefined) return undefined;
    return (typeof id === 'number' ? numberTaken : textRow).get(id) === undefined ? undefined : 'id';
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
      keepId.run(row.number);
      replaceClaims(row.number, undefined);
      deleteUser.run(row.number);
      return toUser(row);
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

function userOf(row: Row | undefined): DirectoryUser | undefined {
  return row === undefined ? undefined : toUser(row);
}

function toUser({ id, email, hash, disabled, claims }: Row): DirectoryUser {
  const known = claims === null ? {} : { claims: JSON.parse(claims) as UserClaims };
  return { id, email, hash, disabled: disabled !== 0, ...known };
}
