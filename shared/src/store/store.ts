// What every store can do, whatever it is built on, and the error that it throws when it cannot answer.

/** The store did not answer, or answered that it cannot serve now. A store throws nothing else for that. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** The status of a Fastify application without an error handler of its own. */
  readonly statusCode = 503;
}

/** Receives a call for every operation on a store. Must not throw. */
export interface StoreObserver {
  /** The store answered an operation. */
  took(seconds: number): void;
  /** The store did not answer: it is out of reach, full or too slow. */
  failed(error: unknown): void;
}

/**
 * The operations that need no knowledge of what the store is built on. Everything else is a script on Redis and a
 * transaction on the embedded store, beside the code that needs it. Methods that return a promise throw
 * StoreUnavailableError if the store does not answer.
 */
export interface StoreOperations {
  /** Returns a live value, or undefined. */
  read(key: string): Promise<string | undefined>;
  /** Writes a value that expires after `ttlMs` and returns the live value before it, or null. */
  exchange(key: string, value: string, ttlMs: number): Promise<string | null>;
  /** The store's own time in milliseconds since 1970; also the proof that it answers. */
  timeMs(): Promise<number>;
  /** Removes expired values and returns how many; 0 if the store does that itself. */
  prune(): Promise<number>;
  /** Whether the store takes commands now. An embedded store always does. */
  isReady(): boolean;
  /**
   * Calls `listener` each time a connection becomes ready; never on an embedded store.
   * @returns a function that removes the listener
   */
  onReady(listener: () => void): () => void;
  /** Reports every operation to an observer from now on, in addition to those before it. */
  observe(observer: StoreObserver): void;
  /** Ends the connection or closes the file. */
  close(): Promise<void>;
}

/** Returns the seconds since a moment of `performance.now()`. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1000;
}
