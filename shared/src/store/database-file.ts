// One database file of SQLite, shared by the processes of one machine.

import { setTimeout as pause } from 'node:timers/promises';
import { createGroupCommit, type GroupCommit, LOCK_TIMEOUT_MS } from './group-commit.js';
import { type DatabaseFormat, explainDatabaseError, openCheckedDatabase } from './open-database.js';
import { makePrivateFile } from './private-file.js';
import { isLocked, resultCodeOf, type Statement } from './sqlite.js';
import { StoreUnavailableError } from './store.js';

/** An open file. Methods that return a promise throw StoreUnavailableError if the file cannot be used. */
export interface DatabaseFile {
  prepare(sql: string): Statement;
  /** Runs a step in a write transaction. One that throws is undone. Resolves after the commit. */
  readonly write: GroupCommit['write'];
  /** Runs a function that only reads. */
  read<T>(look: () => T): Promise<T>;
  /**
   * Writes a copy of the present state into a new file of mode 0600, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
  /** Waits for the steps under way, then closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the file; creates it and its folder if they are missing. Reads the whole file once to check it.
 * @param path absolute
 * @throws Error whose message says in one line what is wrong with the file and what to do
 */
export function openDatabaseFile(path: string, format: DatabaseFormat): DatabaseFile {
  const database = openCheckedDatabase(path, format);
  const asFailure = (cause: unknown) =>
    new StoreUnavailableError(`the file ${path} cannot be used: ${explainDatabaseError(cause)}`, { cause });
  const { write, idle } = createGroupCommit(database, asFailure);

  return {
    prepare: (sql) => database.prepare(sql),
    write,
    async read(look) {
      for (const sinceMs = performance.now(); ; await pause(1)) {
        try {
          return look();
        } catch (error) {
          // A reader waits only while another process repairs the file after a third one died.
          if (isLocked(error) && performance.now() - sinceMs < LOCK_TIMEOUT_MS) continue;
          throw isDatabaseError(error) ? asFailure(error) : error;
        }
      }
    },
    copyTo(target) {
      makePrivateFile(target);
      database.prepare('VACUUM INTO ?').run(target);
    },
    async close() {
      await idle();
      if (!database.isOpen) return;
      try {
        // The package for older versions of Node closes for good only when all statements have been collected.
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // What is in the log beside the file is read again at the next start.
      }
      database.close();
    },
  };
}

/** Also true for the error of a closed database. */
function isDatabaseError(error: unknown): boolean {
  return resultCodeOf(error) !== undefined || (error as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE';
}
