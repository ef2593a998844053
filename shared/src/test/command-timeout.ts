// Raises the time limit of a store's commands, for tests that are not about it.

import type { Store } from '../store/open-store.js';

/** A busy machine answers hundreds of commands at once later than a service would wait. */
const RAISED = { commandTimeout: 20_000, socketTimeout: 30_000 };

/** Raises the time limit of the store's client. Call it before the client connects. */
export function raiseCommandTimeout(store: Store): void {
  if (store.kind !== 'redis') return;
  const { options } = store.client;
  if ('redisOptions' in options) {
    options.redisOptions = { ...options.redisOptions, ...RAISED };
  } else {
    Object.assign(options, RAISED);
  }
}
