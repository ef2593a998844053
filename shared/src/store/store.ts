// The interface of stores, and the time limit for their replies.

/** The store did not respond, or reported that it cannot serve now. Stores throw no other error for that. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** The status of a Fastify application without an error handler of its own. */
  readonly statusCode = 503;
}

/** Receives a call for every operation on a store. Must not throw. */
export interface StoreObserver {
  /** The store completed an operation. */
  took(seconds: number): void;
  /** The store did not respond: it is unreachable, full or too slow. */
  failed(error: unknown): void;
}

/**
 * The operations that are independent of the kind of store. Everything else is a script on Redis and a transaction on the
 * embedded store, next to its callers. Methods that return a promise throw StoreUnavailableError if the store does not
 * respond.
 */
export interface StoreOperations {
  /** Returns a live value, or undefined. */
  read(key: string): Promise<string | undefined>;
  /** Writes a value that expires after `ttlMs` and returns the live value before it, or null. */
  exchange(key: string, value: string, ttlMs: number): Promise<string | null>;
  /** The store's own time in milliseconds since 1970; also a proof that it responds. */
  timeMs(): Promise<number>;
  /** Removes expired values and returns how many; 0 if the store does that itself. */
  prune(): Promise<number>;
  /** Whether the store accepts commands now. An embedded store always does. */
  isReady(): boolean;
  /**
   * Calls `listener` each time a connection becomes ready; never on an embedded store.
   * @returns a function that removes the listener
   */
  onReady(listener: () => void): () => void;
  /** Reports every operation to an observer from now on, in addition to earlier observers. */
  observe(observer: StoreObserver): void;
  /** Ends the connection or closes the file. */
  close(): Promise<void>;
}

/** Returns the seconds since a time of `performance.now()`. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1000;
}

/** How long a request waits in total for missing responses, in milliseconds. */
export const ANSWER_LIMIT_MS = 500;

/** The wait of a request whose time is used up: another store may be healthy. */
const LEAST_MS = 50;

/** The remaining time of one request. */
export interface AnswerLimit {
  leftMs: number;
}

/** Operations on a store. */
type Operations<T> = { readonly [Name in keyof T]: (...args: never[]) => Promise<unknown> };

/** Returns the time limit of a new request. */
export function newAnswerLimit(): AnswerLimit {
  return { leftMs: ANSWER_LIMIT_MS };
}

/**
 * Waits for a request's store operations, and takes the time from its limit if a store fails. Successful operations use up
 * no time.
 */
export async function chargeFailure<T>(limit: AnswerLimit, work: Promise<T>): Promise<T> {
  const startMs = performance.now();
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreUnavailableError) limit.leftMs -= performance.now() - startMs;
    throw error;
  }
}

/**
 * Waits for a store's response no longer than the remaining time of a request.
 * @throws StoreUnavailableError if no time is left; the response is then ignored
 */
export function waitForAnswer<T>(limit: AnswerLimit, answer: Promise<T>): Promise<T> {
  // While no time is used up, the time limit of the store's client is enough.
  if (isUnused(limit)) return chargeFailure(limit, answer);
  const leftMs = Math.max(limit.leftMs, LEAST_MS);
  return chargeFailure(limit, within(leftMs, answer, StoreUnavailableError));
}

/** Returns the store operations of a request: limited once it has waited in vain. */
export function underLimit<T extends Operations<T>>(limit: AnswerLimit | null, operations: T): T {
  if (limit === null || isUnused(limit)) return operations;
  const limited = (Object.keys(operations) as (keyof T)[]).map((name) => [
    name,
    (...args: never[]) => waitForAnswer(limit, operations[name](...args)),
  ]);
  return Object.fromEntries(limited) as T;
}

function isUnused(limit: AnswerLimit): boolean {
  return limit.leftMs === ANSWER_LIMIT_MS;
}

/**
 * Calls a function once all data that has arrived by now was read. A process that was blocked for longer than a limit runs
 * its timers first, and would treat a response that waits in the socket as missing.
 */
export function onceArrived(call: () => void): void {
  setImmediate(call);
}

/**
 * Waits for a result at most `limitMs` milliseconds.
 * @throws Error, or one of `Failure`, after that time
 */
export async function within<T>(
  limitMs: number,
  result: Promise<T>,
  Failure: new (message: string) => Error = Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Failure(`no response within ${Math.round(limitMs)} ms`));
    timer = setTimeout(onceArrived, limitMs, fail);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
