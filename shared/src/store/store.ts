// The interface of stores, and the time limit for their answers.

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

/** How long a request waits in total for answers that do not come, in milliseconds. */
export const ANSWER_LIMIT_MS = 500;

/** What a request waits once its time is used up: another store may be well. */
const LEAST_MS = 50;

/** What is left of the time of one request. */
export interface AnswerLimit {
  leftMs: number;
}

/** Operations on a store. */
type Operations<T> = { readonly [Name in keyof T]: (...args: never[]) => Promise<unknown> };

/** Returns the limit of a request that begins. */
export function newAnswerLimit(): AnswerLimit {
  return { leftMs: ANSWER_LIMIT_MS };
}

/**
 * Waits for what stores answer to a request, and takes the time from its limit if a store fails. Answers that come use up
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
 * Waits for an answer of a store no longer than the time that is left to a request.
 * @throws StoreUnavailableError if there is no time left; the answer is then ignored
 */
export function waitForAnswer<T>(limit: AnswerLimit, answer: Promise<T>): Promise<T> {
  // While no time is used up, the time limit of the store's client is enough.
  if (isUnused(limit)) return chargeFailure(limit, answer);
  const leftMs = Math.max(limit.leftMs, LEAST_MS);
  return chargeFailure(limit, within(leftMs, answer, StoreUnavailableError));
}

/** Returns the operations of a store for a request: limited once it has waited in vain. */
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
 * Calls a function once everything that has arrived by now was read. A process that was held up for longer than a limit
 * runs its timers first, and would take an answer that waits in the socket for one that never came.
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
    const fail = () => reject(new Failure(`no answer within ${Math.round(limitMs)} ms`));
    timer = setTimeout(onceArrived, limitMs, fail);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
