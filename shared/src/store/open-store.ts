// Opens the store that a URL names.

import { type Clock, type EmbeddedStore, openEmbeddedStore } from './embedded-store.js';
import { openRedis, type RedisClient } from './redis-connection.js';
import { asStoreError } from './store-errors.js';
import { parseStoreUrl } from './store-url.js';

/** A store on Redis. */
export interface RedisStore {
  readonly kind: 'redis';
  readonly client: RedisClient;
}

/** A store of either kind; the operations on it are written beside those who need them. */
export type Store = RedisStore | EmbeddedStore;

/**
 * Opens a store. A Redis connection is made in the background; a file is opened at once.
 *
 * @param root folder that a relative `file:` path starts from
 * @param clock time of the embedded store, in milliseconds since 1970; Redis has its own
 * @throws RangeError for a URL of no known form
 * @throws StoreUnavailableError when an embedded store's file cannot be opened
 */
export function openStore(url: string, root: string, clock?: Clock): Store {
  const address = parseStoreUrl(url, root);
  if (address.kind === 'embedded') return openEmbeddedStore(address.path, clock);
  return { kind: 'redis', client: openRedis(address) };
}

/** Ends the connection or closes the file. */
export async function closeStore(store: Store): Promise<void> {
  if (store.kind === 'embedded') return store.close();
  // quit() waits for a reply that a store out of reach never sends.
  store.client.disconnect();
}

/** The store's own time in milliseconds since 1970; also the proof that it answers. */
export async function storeTimeMs(store: Store): Promise<number> {
  if (store.kind === 'embedded') return store.transact(({ nowMs }) => nowMs);
  try {
    const [seconds, micros] = await store.client.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  } catch (error) {
    throw asStoreError(error);
  }
}
