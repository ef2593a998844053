// The store in one file (LMDB), shared by the processes of one machine.

import { openSharedDatabase, type SharedDatabase } from './shared-database.js';
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

/** A key-value store whose values expire. */
export interface EmbeddedStore extends StoreOperations {
  readonly kind: 'embedded';
  readonly path: string;
  /**
   * Runs a step as one write transaction. A step that throws does not undo its writes, so it must decide before it
   * writes.
   */
  transact<T>(step: (transaction: Transaction) => T): Promise<T>;
  /** Returns the keys with this prefix in order, possibly including expired ones. */
  keys(prefix: string): string[];
  /** Removes expired values, at most `batch` per transaction, and returns how many there were. */
  prune(batch?: number): Promise<number>;
}

/** Milliseconds since 1970. */
export type Clock = () => number;

/**
 * Opens the file; creates it and its folder if they are missing. Each value is stored after its expiry; `prune` reads an
 * index ordered by expiry.
 *
 * @throws StoreUnavailableError if the file cannot be opened
 */
export function openEmbeddedStore(path: string, clock: Clock = Date.now): EmbeddedStore {
  let database: SharedDatabase;
  try {
    database = openSharedDatabase(path);
  } catch (error) {
    throw new StoreUnavailableError(`the store ${path} cannot be opened`, { cause: error });
  }
  const { root, index } = database;

  const drop = (key: string, expiresAtMs: number): void => {
    root.remove(key);
    index.remove([expiresAtMs, key]);
  };
  const entry = (key: string): { expiresAtMs: number; value: string } | undefined => {
    const text = root.get(key);
    if (text === undefined) return undefined;
    const at = text.indexOf(' ');
    return { expiresAtMs: Number(text.slice(0, at)), value: text.slice(at + 1) };
  };

  const begin = (nowMs: number): Transaction => {
    const live = (key: string) => {
      const found = entry(key);
      if (found === undefined || found.expiresAtMs > nowMs) return found;
      drop(key, found.expiresAtMs);
      return undefined;
    };
    return {
      nowMs,
      get: (key) => live(key)?.value,
      expiryOf: (key) => live(key)?.expiresAtMs,
      put(key, value, expiresAtMs) {
        const before = entry(key);
        if (before !== undefined) index.remove([before.expiresAtMs, key]);
        root.put(key, `${expiresAtMs} ${value}`);
        index.put([expiresAtMs, key], '');
      },
      remove(key) {
        const found = entry(key);
        if (found !== undefined) drop(key, found.expiresAtMs);
      },
    };
  };

  const observers: StoreObserver[] = [];
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
    async transact(step) {
      let stepError: unknown;
      const startMs = performance.now();
      const run = () => {
        try {
          return step(begin(clock()));
        } catch (error) {
          stepError = error;
          throw error;
        }
      };
      try {
        const value = await root.transaction(run);
        const seconds = secondsSince(startMs);
        for (const observer of observers) observer.took(seconds);
        return value;
      } catch (error) {
        // An error of the step is a bug; any other comes from the file, such as a full disk.
        if (error === stepError) throw error;
        for (const observer of observers) observer.failed(error);
        throw new StoreUnavailableError(`the store ${path} cannot be written`, { cause: error });
      }
    },
    async read(key) {
      const found = entry(key);
      if (found === undefined || found.expiresAtMs > clock()) return found?.value;
      await root.transaction(() => begin(clock()).get(key));
      return undefined;
    },
    // No key contains a character as high as the last one.
    keys: (prefix) => [...root.getKeys({ start: prefix, end: `${prefix}\uffff` })],
    async prune(batch = 100) {
      let removed = 0;
      for (;;) {
        const count = await root.transaction(() => {
          const expired = [...index.getKeys({ end: [clock() + 1, ''], limit: batch })];
          for (const [expiresAtMs, key] of expired) drop(key, expiresAtMs);
          return expired.length;
        });
        removed += count;
        if (count < batch) return removed;
      }
    },
    close: () => database.release(),
  };
  return store;
}
