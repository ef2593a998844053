// Opens an SQLite database file: creates it, checks its integrity and kind, and explains its problems.

import { statSync } from 'node:fs';
import { makePrivateDatabase } from './private-file.js';
import { type Database, isLocked, openDatabase, RESULT, resultCodeOf } from './sqlite.js';

/** The required content of a file. */
export interface DatabaseFormat {
  /** The number that marks the file as this kind of database (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** The statements that create the tables if they are missing. */
  readonly schema: string;
  /** Whether a commit waits for the disk. Otherwise a power failure may undo the last commits, but damages nothing. */
  readonly durable: boolean;
}

/** How long opening may block while another process creates the file, in milliseconds. */
const OPEN_TIMEOUT_MS = 2000;

const FORMAT_VERSION = 1;

/** The smallest SQLite page, in bytes: no database is smaller, unless it is empty. */
const MIN_PAGE_BYTES = 512;

/**
 * Opens the file; creates it and its folder if they are missing. Reads the whole file once to check it.
 * @throws Error whose message explains in one line the problem of the file and its remedy
 */
export function openCheckedDatabase(path: string, format: DatabaseFormat): Database {
  makePrivateDatabase(path);
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  // SQLite would treat a fragment as an empty file.
  if (found.size > 0 && found.size < MIN_PAGE_BYTES) throw new Error(EXPLANATIONS[RESULT.noDatabase]);
  for (const sinceMs = performance.now(); ; ) {
    let database: Database | undefined;
    try {
      database = openDatabase(path, OPEN_TIMEOUT_MS);
      prepareFile(database, format);
      return database;
    } catch (error) {
      database?.close();
      // SQLite does not wait for another process that creates the file at the same time.
      if (isLocked(error) && performance.now() - sinceMs < OPEN_TIMEOUT_MS) continue;
      throw new Error(explainDatabaseError(error), { cause: error });
    }
  }
}

function prepareFile(database: Database, { applicationId, schema, durable }: DatabaseFormat): void {
  const pragma = (name: string) =>
    Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[0];
  // Before anything else: this file may belong to another program. In this order, because another process may be creating
  // the tables right now.
  const isEmpty = pragma('schema_version') === 0;
  const found = pragma('application_id');
  if (found !== applicationId && !(isEmpty && found === 0)) {
    throw new Error('it is a database of another program');
  }
  if (Number(pragma('user_version')) > FORMAT_VERSION) {
    throw new Error('a newer version of this program wrote it: use that version');
  }
  if (pragma('journal_mode = WAL') !== 'wal') {
    throw new Error('processes cannot share its file system: it needs a local disk');
  }
  // Deleted rows are overwritten with zeros: a copy of the file has nothing of a deleted user or an ended session.
  database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}; PRAGMA secure_delete = ON`);
  const damage = pragma('quick_check(1)');
  if (damage !== 'ok') throw new Error(DAMAGED, { cause: damage });
  if (found !== applicationId) {
    database.exec(`BEGIN IMMEDIATE;
      ${schema};
      PRAGMA application_id = ${applicationId};
      PRAGMA user_version = ${FORMAT_VERSION};
      COMMIT`);
  }
  // From here on, waiting must not block the process.
  database.exec('PRAGMA busy_timeout = 0');
}

const REMEDY = 'restore a copy, or move it away to start with an empty one';
const DAMAGED = `it is damaged: ${REMEDY}`;

const EXPLANATIONS: Readonly<Record<number, string>> = {
  [RESULT.busy]: 'another process has locked it',
  [RESULT.readOnly]: 'this user may not write to it',
  [RESULT.ioError]: 'its disk fails, is full or does not lock files',
  [RESULT.corrupt]: DAMAGED,
  [RESULT.full]: 'its disk is full',
  [RESULT.cannotOpen]: 'this user may not open it, or a file beside it',
  [RESULT.noDatabase]: `it is not a database: ${REMEDY}`,
};

/** Explains an SQLite error in one line that follows the name of the file. */
export function explainDatabaseError(error: unknown): string {
  const known = EXPLANATIONS[resultCodeOf(error) ?? 0];
  return known ?? (error instanceof Error ? error.message : String(error));
}
