// The store in one SQLite file, shared by the processes of one machine.

import { setImmediate as turn } from 'node:timers/promises';
import { type DatabaseFile, openDatabaseFile } from './database-file.js';
import { type StoreObserver, type StoreOperations, StoreUnavailableError, secondsSince } from './store.js';

/** The operations of one atomic step. All its reads and writes happen at one moment, `nowMs`. */
export interface Transaction {
  /** The store's time: milliseconds since 1970. */
  readonly nowMs: number;
  /** Returns a live value. Removes an expired one. */
  get(key: string): string | undefined;
  /** Returns when a live value expires, in milliseconds since 1970. */
  expiryOf(key: string): number | undefined;
  /** Writes a value that expires at `expiresAtMs`. */
  put(key: string, value: string, expiresAtMs: number): void;
  remove(key: string): void;
}

/** A key-value store with expiring values. */
export interface EmbeddedStore extends StoreOperations {
  readonly kind: 'embedded';
  readonly path: string;
  /** Runs a step as one write transaction. If a step throws, its writes are undone. */
  transact<T>(step: (transaction: Transaction) => T): Promise<T>;
  /** Returns the keys with this prefix in order, possibly including expired ones. */
  keys(prefix: string): Promise<string[]>;
  /** Removes expired values, at most `batch` per transaction, and returns how many there were. */
  prune(batch?: number): Promise<number>;
  /**
   * Writes a copy to a new file, also while other processes write.
   * @throws Error if the target exists or cannot be written
   */
  copyTo(target: string): void;
  /**
   * Removes the remains of deleted values from the file and its log.
   * @returns false if other processes have locked the file, or its disk is full
   */
  purge(): Promise<boolean>;
}

/** Milliseconds since 1970. */
export type Clock = () => number;

const FORMAT = {
  // "tgst" in ASCII.
  applicationId: 0x74677374,
  schema: `CREATE TABLE IF NOT EXISTS entry (
    key TEXT PRIMARY KEY,
    expires_at_ms INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  durable: false,
};

/** Keys that pruning reads at once. */
const PRUNED_AT_ONCE = 1000;

interface Entry {
  readonly expires_at_ms: number;
  readonly value: string;
}

/**
 * Opens the file; creates it and its folder if they are missing.
 *
 * @throws StoreUnavailableError if the file cannot be opened
 */
export function openEmbeddedStore(path: string, clock: Clock = Date.now): EmbeddedStore {
  const file = openFile(path);
  const find = file.prepare('SELECT expires_at_ms, value FROM entry WHERE key = ?');
  const write = file.prepare('INSERT OR REPLACE INTO entry VALUES (?, ?, ?)');
  const drop = file.prepare('DELETE FROM entry WHERE key = ?');
  const dropExpired = file.prepare('DELETE FROM entry WHERE key = ? AND expires_at_ms <= ?');
  const listFrom = file.prepare('SELECT key FROM entry WHERE key >= ? AND key < ? ORDER BY key');
  const listAfter = file.prepare('SELECT key, expires_at_ms FROM entry WHERE key > ? ORDER BY key LIMIT ?');

  const entry = (key: string) => find.get(key) as Entry | undefined;
  const begin = (nowMs: number): Transaction => {
    const live = (key: string) => {
      const found = entry(key);
      if (found === undefined || found.expires_at_ms > nowMs) return found;
      drop.run(key);
      return undefined;
    };
    return {
      nowMs,
      get: (key) => live(key)?.value,
      expiryOf: (key) => live(key)?.expires_at_ms,
      put: (key, value, expiresAtMs) => void write.run(key, Math.ceil(expiresAtMs), value),
      remove: (key) => void drop.run(key),
    };
  };

  const observers: StoreObserver[] = [];
  async function observed<T>(operation: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    try {
      const value = await operation();
      const seconds = secondsSince(startMs);
      for (const observer of observers) observer.took(seconds);
      return value;
    } catch (error) {
      if (error instanceof StoreUnavailableError) for (const observer of observers) observer.failed(error);
      throw error;
    }
  }

  const store: EmbeddedStore = {
    kind: 'embedded',
    path,
    isReady: () => true,
    onReady: () => () => {},
    observe(added) {
      observers.push(added);
    },
    timeMs: () => store.transact(({ nowMs }) => nowMs),
    exchange: (key, value, ttlMs) =>
      store.transact((transaction) => {
        const before = transaction.get(key) ?? null;
        transaction.put(key, value, transaction.nowMs + ttlMs);
        return before;
      }),
    transact: (step) => observed(() => file.write(() => step(begin(clock())))),
    async read(key) {
      const found = await observed(() => file.read(() => entry(key)));
      if (found === undefined || found.expires_at_ms > clock()) return found?.value;
      await file.write(() => begin(clock()).get(key));
      return undefined;
    },
    // No key contains a character as high as the last one.
    keys: (prefix) =>
      observed(() =>
        file.read(() =>
          (listFrom.all(prefix, `${prefix}\u{10ffff}`) as { key: string }[]).map(({ key }) => key),
        ),
      ),
    async prune(batch = 100) {
      let removed = 0;
      for (let last = ''; ; ) {
        const seen = await file.read(
          () => listAfter.all(last, PRUNED_AT_ONCE) as (Entry & { key: string })[],
        );
        const expired = seen.filter(({ expires_at_ms }) => expires_at_ms <= clock());
        for (let from = 0; from < expired.length; from += batch) {
          const some = expired.slice(from, from + batch);
          await file.write(() => {
            for (const { key } of some) removed += Number(dropExpired.run(key, clock()).changes);
          });
        }
        const end = seen.at(-1);
        if (end === undefined || seen.length < PRUNED_AT_ONCE) return removed;
        last = end.key;
        // Reads alone leave no turn to requests.
        await turn();
      }
    },
    copyTo: (target) => file.copyTo(target),
    purge: () => file.purge(),
    close: () => file.close(),
  };
  return store;
}

function openFile(path: string): DatabaseFile {
  try {
    return openDatabaseFile(path, FORMAT);
  } catch (error) {
    throw new StoreUnavailableError(`the store ${path} cannot be opened`, { cause: error });
  }
}
