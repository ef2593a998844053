// Opens the store that a URL names.

import { ConfigurationError } from '../schemas/configuration-error.js';
import { type Clock, type EmbeddedStore, openEmbeddedStore } from './embedded-store.js';
import { asStoreError, openRedis, type RedisClient } from './redis-connection.js';
import { StoreUnavailableError } from './store.js';
import { describeStoreUrl, parseStoreUrl } from './store-url.js';

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

/**
 * Whether the store is connected within the time: a client of ours refuses commands before it is. An embedded store
 * always is.
 */
export async function waitForStore(store: Store, limitMs: number): Promise<boolean> {
  if (store.kind !== 'redis' || store.client.status === 'ready') return true;
  const { client } = store;
  return new Promise<boolean>((resolve) => {
    const end = (isReady: boolean) => {
      clearTimeout(late);
      client.off('ready', connected);
      resolve(isReady);
    };
    const connected = () => end(true);
    const late = setTimeout(() => end(false), limitMs);
    client.once('ready', connected);
  });
}

/**
 * Opens a store; a Redis that is away is no mistake here, a file that cannot be opened is.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws ConfigurationError with one line that begins with the variable's name
 */
export function openConfiguredStore(variable: string, url: string, root: string): Store {
  try {
    return openStore(url, root);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`${variable} ${error.message}`]);
    if (!(error instanceof StoreUnavailableError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new ConfigurationError([`${variable} ${describeStoreUrl(url)} cannot be opened: ${reason}`]);
  }
}

const CONNECT_MS = 5000;

/**
 * Hands over the store that a variable names once it is connected, and closes it afterwards.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws ConfigurationError when the variable names none
 * @throws StoreUnavailableError when it does not answer
 */
export async function withConnectedStore<T>(
  variable: string,
  url: string,
  root: string,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = openConfiguredStore(variable, url, root);
  try {
    await ready(store, variable);
    return await use(store);
  } finally {
    await closeStore(store);
  }
}

/** @throws StoreUnavailableError */
async function ready(store: Store, variable: string): Promise<void> {
  if (await waitForStore(store, CONNECT_MS)) return;
  throw new StoreUnavailableError(`the store of ${variable} is out of reach`);
}
