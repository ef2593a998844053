// SQLite: built into Node from version 24, otherwise a package with the same interface.

import { createRequire } from 'node:module';
import type { DatabaseSyncInstance, SqliteModule } from '@photostructure/sqlite';

/** A parameter value. */
type Value = string | number;

/** A prepared statement. A string without an exact form in UTF-8 equals no stored text, and storing it throws. */
export interface Statement {
  run(...values: readonly Value[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: readonly Value[]): unknown;
  all(...values: readonly Value[]): unknown[];
}

/** A connection to a database. */
export interface Database extends Pick<DatabaseSyncInstance, 'exec' | 'close' | 'isOpen' | 'isTransaction'> {
  prepare(sql: string): Statement;
}

/** From this version on, loading the built-in module prints no warning. */
const BUILT_IN_FROM = 24;

let sqlite: Pick<SqliteModule, 'DatabaseSync'> | undefined;

/**
 * Opens a connection; creates an empty file if it is missing.
 * @param timeoutMs how long a statement may block the process while another connection holds a lock, in milliseconds
 * @throws Error of SQLite, or if there is no SQLite for this platform and version of Node
 */
export function openDatabase(path: string, timeoutMs: number): Database {
  sqlite ??= loadSqlite();
  const database = new sqlite.DatabaseSync(path, { timeout: timeoutMs });
  return {
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(...values.map(whole)),
        get: (...values) => statement.get(...values.map(whole)),
        all: (...values) => statement.all(...values.map(whole)),
      };
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    get isOpen() {
      return database.isOpen;
    },
    get isTransaction() {
      return database.isTransaction;
    },
  };
}

/** A zero byte, or half a surrogate pair. */
const INEXACT = /[\0\p{Cs}]/u;

/**
 * Returns the value to bind. The package for older versions of Node cuts a string at its first zero byte, and half a
 * surrogate pair becomes U+FFFD: either would be another text. The bytes of such a string equal no text, and no column of a
 * STRICT table accepts them as one.
 */
function whole(value: Value): Value | Buffer {
  return typeof value === 'string' && INEXACT.test(value) ? Buffer.from(value, 'utf16le') : value;
}

function loadSqlite(): Pick<SqliteModule, 'DatabaseSync'> {
  if (Number.parseInt(process.versions.node, 10) >= BUILT_IN_FROM) {
    const builtIn: unknown = process.getBuiltinModule('node:sqlite');
    if (builtIn !== undefined) return builtIn as SqliteModule;
  }
  try {
    return createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule;
  } catch (error) {
    throw new Error(
      `there is no SQLite for Node ${process.versions.node} on ${process.platform} ${process.arch}: npm install @photostructure/sqlite, or use Node ${BUILT_IN_FROM} or newer, or Redis`,
      { cause: error },
    );
  }
}

/** SQLite result codes (https://sqlite.org/rescode.html), without the extended bits. */
export const RESULT = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  noDatabase: 26,
} as const;

/** SQLite's texts for them: the package for older versions of Node gives no code to an error between two rows. */
const TEXTS = new Map<unknown, number>([
  ['database is locked', RESULT.busy],
  ['database table is locked', RESULT.locked],
  ['disk I/O error', RESULT.ioError],
  ['database disk image is malformed', RESULT.corrupt],
]);
const OTHER_ERROR = 1;

/** Returns the result code of an error of SQLite; undefined for any other error. */
export function resultCodeOf(error: unknown): number | undefined {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: unknown };
  if (code !== 'ERR_SQLITE_ERROR') return undefined;
  return typeof errcode === 'number' ? errcode & 0xff : (TEXTS.get(message) ?? OTHER_ERROR);
}

/** Returns whether another connection has the lock that a statement needs. */
export function isLocked(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === RESULT.busy || code === RESULT.locked;
}
