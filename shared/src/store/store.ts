// What a store throws when it cannot answer.

/** The store did not answer, or answered that it cannot serve now; nothing else is thrown for that. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** What a Fastify application answers if it has no error handler of its own. */
  readonly statusCode = 503;
}

/** Hears of every operation on a store. Must not throw. */
export interface StoreObserver {
  /** An operation was answered. */
  took(seconds: number): void;
  /** One was not: the store is out of reach, full or too slow. */
  failed(): void;
}

const observers = new WeakMap<object, StoreObserver>();

/** Has an observer told of every operation from now on. */
export function observeStore(
  store: { readonly kind: 'redis'; readonly client: object } | { readonly kind: 'embedded' },
  observer: StoreObserver,
): void {
  observers.set(store.kind === 'redis' ? store.client : store, observer);
}

/** The observer of a Redis client, or of an embedded store. */
export function observerOf(store: object): StoreObserver | undefined {
  return observers.get(store);
}

/** Seconds since a moment of `performance.now()`. */
export function secondsSince(beganMs: number): number {
  return (performance.now() - beganMs) / 1000;
}
