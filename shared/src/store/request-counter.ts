// Counts requests in fixed windows, for limits that all nodes share.

import type { Transaction } from './embedded-store.js';
import type { Store } from './open-store.js';
import { loadScript } from './redis-connection.js';

/** The requests of a window, including the current one. */
export interface Counted {
  readonly count: number;
  /** Remaining milliseconds of the window. */
  readonly ttlMs: number;
}

/**
 * Counts one request under a name, in a window of `windowMs` that begins with the first request.
 * @throws StoreUnavailableError if the store does not respond
 */
export type RequestCounter = (name: string, windowMs: number) => Promise<Counted>;

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** Opens the counter on a store; its keys are `prefix`, `:limit:` and the name. */
export function openRequestCounter(store: Store, prefix: string): RequestCounter {
  const key = (name: string) => `${prefix}:limit:${name}`;
  if (store.kind === 'embedded') {
    return (name, windowMs) => store.transact((transaction) => countUp(transaction, key(name), windowMs));
  }
  const countRequest = loadScript<[number, number]>(store.client, SCRIPTS, 'count_request');
  return async (name, windowMs) => {
    const [count, ttlMs] = await countRequest([key(name)], [windowMs]);
    return { count, ttlMs };
  };
}

/** Counts a request inside a transaction of the embedded store. */
export function countUp(transaction: Transaction, key: string, windowMs: number): Counted {
  const freshMs = transaction.nowMs + windowMs;
  // A clock that was set back makes no window longer.
  const expiresAtMs = Math.min(transaction.expiryOf(key) ?? freshMs, freshMs);
  const count = Number(transaction.get(key) ?? 0) + 1;
  transaction.put(key, String(count), expiresAtMs);
  return { count, ttlMs: expiresAtMs - transaction.nowMs };
}
