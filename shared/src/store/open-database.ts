// Opens a database file of SQLite: creates it, checks that it is whole and of the right kind, and explains what is wrong.

import { statSync } from 'node:fs';
import { makePrivateDatabase } from './private-file.js';
import { type Database, isLocked, openDatabase, RESULT, resultCodeOf } from './sqlite.js';

/** What a file must hold. */
export interface DatabaseFormat {
  /** The number that marks the file as this kind of database (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** The statements that create the tables if they are missing. */
  readonly schema: string;
  /** Whether a commit waits for the disk. Otherwise a power cut may undo the last commits, but damages nothing. */
  readonly durable: boolean;
}

/** How long opening may block the process while another process creates the file, in milliseconds. */
const OPEN_TIMEOUT_MS = 2000;

const FORMAT_VERSION = 1;

/** The smallest page of SQLite, in bytes: no database is smaller, unless it is empty. */
const MIN_PAGE_BYTES = 512;

/**
 * Opens the file; creates it and its folder if they are missing. Reads the whole file once to check it.
 * @throws Error whose message says in one line what is wrong with the file and what to do
 */
export function openCheckedDatabase(path: string, format: DatabaseFormat): Database {
  makePrivateDatabase(path);
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is no file');
  // SQLite would take a fragment for an empty file.
  if (found.size > 0 && found.size < MIN_PAGE_BYTES) throw new Error(EXPLANATIONS[RESULT.noDatabase]);
  for (const sinceMs = performance.now(); ; ) {
    let database: Database | undefined;
    try {
      database = openDatabase(path, OPEN_TIMEOUT_MS);
      prepareFile(database, format);
      return database;
    } catch (error) {
      database?.close();
      // SQLite does not wait for another process that is creating the file at the same time.
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
    throw new Error('it is a database of something else');
  }
  if (Number(pragma('user_version')) > FORMAT_VERSION) {
    throw new Error('a newer version of this program wrote it: use that version');
  }
  if (pragma('journal_mode = WAL') !== 'wal') {
    throw new Error('its file system cannot be shared by processes: it needs a local disk');
  }
  database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
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

const REMEDY = 'restore a copy of it, or move it away to begin with an empty one';
const DAMAGED = `it is damaged: ${REMEDY}`;

const EXPLANATIONS: Readonly<Record<number, string>> = {
  [RESULT.busy]: 'another process holds its lock',
  [RESULT.readOnly]: 'this user may not write to it',
  [RESULT.ioError]: 'its disk fails, is full or does not lock files',
  [RESULT.corrupt]: DAMAGED,
  [RESULT.full]: 'its disk is full',
  [RESULT.cannotOpen]: 'this user may not open it, or a file beside it',
  [RESULT.noDatabase]: `it is no database: ${REMEDY}`,
};

/** Explains an error of SQLite in one line that follows the name of the file. */
export function explainDatabaseError(error: unknown): string {
  const known = EXPLANATIONS[resultCodeOf(error) ?? 0];
  return known ?? (error instanceof Error ? error.message : String(error));
}
