// Waits longer for a store than a service would.

import type { Store } from '../store/open-store.js';

/** A busy machine answers hundreds of commands at once late; the tests that use this are not about that wait. */
const PATIENCE_MS = 20_000;

/** Has the store's client wait for its answers; to be called before it is connected. */
export function bePatient(store: Store): void {
  if (store.kind !== 'redis') return;
  const { options } = store.client;
  if ('redisOptions' in options)
    options.redisOptions = { ...options.redisOptions, commandTimeout: PATIENCE_MS };
  else Object.assign(options, { commandTimeout: PATIENCE_MS });
}
