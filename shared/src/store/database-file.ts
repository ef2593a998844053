// An SQLite database file, shared by the processes of one machine.

import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseFormat, explainDatabaseError, openCheckedDatabase } from './open-database.js';
import { writePrivateFile } from './private-file.js';
import { type Database, isLocked, resultCodeOf, type Statement } from './sqlite.js';
import { StoreUnavailableError } from './store.js';

/** An open file. Methods that return a promise throw StoreUnavailableError if the file is unusable. */
export interface DatabaseFile {
  prepare(sql: string): Statement;
  /** Runs a step in a write transaction. If it throws, it is undone. Resolves after the commit. */
  readonly write: GroupCommit['write'];
  /** Runs a read-only function. */
  read<T>(look: () => T): Promise<T>;
  /**
   * Writes a copy of the current state to a new file of mode 0600, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
  /**
   * Rewrites the file without remains of deleted rows, and empties its log: no byte of them is left, also none from before
   * deleted rows were overwritten. Blocks this process for about a second per 100 MB; other processes can read meanwhile.
   * @returns false if other processes have locked the file for `LOCK_TIMEOUT_MS`, or its disk is full
   */
  purge(): Promise<boolean>;
  /** Waits for running steps, then closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the file; creates it and its folder if they are missing. Reads the whole file once to check it.
 * @param path absolute
 * @throws Error whose message explains in one line the problem of the file and its remedy
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
      writePrivateFile(target, () => {
        database.prepare('VACUUM INTO ?').run(target);
      });
    },
    async purge() {
      await idle();
      try {
        // In memory, or a temporary file would have a copy of all rows.
        database.exec(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}; PRAGMA temp_store = MEMORY; VACUUM`);
        const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
        return busy === 0;
      } catch (error) {
        if (isDatabaseError(error)) return false;
        throw error;
      } finally {
        database.exec('PRAGMA busy_timeout = 0');
      }
    },
    async close() {
      await idle();
      if (!database.isOpen) return;
      try {
        // The package for older versions of Node closes fully only when all statements have been collected.
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // The contents of the log file are read again at the next start.
      }
      database.close();
    },
  };
}

/** Also true for the error of a closed database. */
function isDatabaseError(error: unknown): boolean {
  return resultCodeOf(error) !== undefined || (error as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE';
}

/** Runs steps in write transactions. */
export interface GroupCommit {
  /** Runs a step. If it throws, it is undone, and the others of its transaction are not. Resolves after the commit. */
  write<T>(step: () => T): Promise<T>;
  /** Resolves when no step is pending. */
  idle(): Promise<void>;
}

/** How long a step waits for another process's lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 1000;

/** How long a waiting step tries in every turn of the event loop, before it tries every millisecond. */
const EAGER_MS = 2;

/** After a transaction of this length, other processes and other requests get a turn, in milliseconds. */
const TRANSACTION_MS = 1;

interface WaitingStep {
  readonly run: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** @param asFailure converts an error of the database for the rejection of pending steps */
function createGroupCommit(database: Database, asFailure: (error: unknown) => Error): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const mark = database.prepare('SAVEPOINT step');
  const release = database.prepare('RELEASE step');
  const undo = database.prepare('ROLLBACK TO step');

  let waiting: WaitingStep[] = [];
  let isScheduled = false;
  let lockedSinceMs: number | undefined;
  const onIdle: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    const waitedMs = lockedSinceMs === undefined ? 0 : performance.now() - lockedSinceMs;
    if (waitedMs < EAGER_MS) setImmediate(runWaiting);
    else setTimeout(runWaiting, 1);
  }

  function runWaiting(): void {
    isScheduled = false;
    if (lock()) runTransaction();
    if (waiting.length > 0) schedule();
    else for (const resolve of onIdle.splice(0)) resolve();
  }

  function lock(): boolean {
    try {
      begin.run();
      lockedSinceMs = undefined;
      return true;
    } catch (error) {
      lockedSinceMs ??= performance.now();
      if (isLocked(error) && performance.now() - lockedSinceMs < LOCK_TIMEOUT_MS) return false;
      lockedSinceMs = undefined;
      fail(waiting.length, error);
      return false;
    }
  }

  function runTransaction(): void {
    const startMs = performance.now();
    const settled: (() => void)[] = [];
    try {
      for (const step of waiting) {
        settled.push(runStep(step));
        if (performance.now() - startMs > TRANSACTION_MS) break;
      }
      commit.run();
    } catch (error) {
      tryToRollBack();
      // The step after the last settled one has failed, unless the commit has.
      fail(Math.min(settled.length + 1, waiting.length), error);
      return;
    }
    waiting = waiting.slice(settled.length);
    for (const settle of settled) settle();
  }

  /** @throws the error of SQLite that ended the transaction */
  function runStep({ run, resolve, reject }: WaitingStep): () => void {
    mark.run();
    try {
      const value = run();
      release.run();
      return () => resolve(value as never);
    } catch (error) {
      // Some errors, such as a full disk, roll the whole transaction back.
      if (!database.isTransaction) throw error;
      undo.run();
      release.run();
      return () => reject(resultCodeOf(error) === undefined ? error : asFailure(error));
    }
  }

  function fail(count: number, error: unknown): void {
    const failure = asFailure(error);
    for (const { reject } of waiting.splice(0, count)) reject(failure);
  }

  function tryToRollBack(): void {
    try {
      if (database.isTransaction) rollback.run();
    } catch {
      // The next transaction reports the problem of the file.
    }
  }

  return {
    write: (step) =>
      new Promise((resolve, reject) => {
        waiting.push({ run: step, resolve, reject });
        schedule();
      }),
    async idle() {
      if (waiting.length > 0) await new Promise<void>((resolve) => onIdle.push(resolve));
    },
  };
}
