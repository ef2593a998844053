// Opens the store of a URL, or temporarily the one of a variable.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../schemas/configuration-error.js';
import { type Clock, type EmbeddedStore, openEmbeddedStore } from './embedded-store.js';
import { createRedisStore, openRedis, type RedisStore } from './redis-connection.js';
import { StoreUnavailableError } from './store.js';
import { describeStoreUrl, parseStoreUrl } from './store-url.js';

/** A store of either kind. Code that needs a script or a transaction branches on `kind`. */
export type Store = RedisStore | EmbeddedStore;

const CONNECT_TIMEOUT_MS = 5000;

/** How long a service waits for its stores before it starts without them, in milliseconds. */
const OPENING_MS = 2000;

/**
 * Opens a store. Redis connects in the background; a file opens at once.
 *
 * @param root folder that a relative `file:` path starts from
 * @param clock time of the embedded store, in milliseconds since 1970; Redis has its own
 * @throws RangeError if the URL has no known form
 * @throws StoreUnavailableError if the file of an embedded store cannot be opened
 */
export function openStore(url: string, root: string, clock?: Clock): Store {
  const address = parseStoreUrl(url, root);
  if (address.kind === 'embedded') return openEmbeddedStore(address.path, clock);
  return createRedisStore(openRedis(address));
}

/**
 * Opens the store of a variable. An unreachable Redis is not an error here; a file that cannot be opened is.
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

/** Returns whether a URL names a missing store file. @param root folder that a relative `file:` path starts from */
export function storeFileMissing(url: string, root: string): boolean {
  const path = /^file:(.+)/s.exec(url)?.[1];
  return path !== undefined && !existsSync(resolve(root, path));
}

/**
 * Connects to the store of a variable, passes it to a function, and closes it afterwards. Never creates a store: in the wrong
 * folder a command would find nothing, and report success on an empty store.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws what `withConnectedStore` throws; StoreUnavailableError if the file does not exist
 */
export async function withExistingStore<T>(...args: Parameters<typeof withConnectedStore<T>>): Promise<T> {
  const [variable, url, root] = args;
  if (storeFileMissing(url, root)) {
    const hint = `start the service first, or set ${variable} or DATA_DIR`;
    throw new StoreUnavailableError(`there is no ${url} (${variable}): ${hint}`);
  }
  return withConnectedStore(...args);
}

/**
 * Passes the store of a variable to a function once it is connected, and closes it afterwards. Creates a missing file.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws ConfigurationError if the variable is unset or invalid
 * @throws StoreUnavailableError if the store does not respond within five seconds
 */
export async function withConnectedStore<T>(
  variable: string,
  url: string,
  root: string,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = openConfiguredStore(variable, url, root);
  try {
    if (!(await waitForStore(store, CONNECT_TIMEOUT_MS)))
      throw new StoreUnavailableError(`the store of ${variable} is unreachable`);
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * Waits until every store accepts commands, two seconds at most: a service that starts before its connections would reject
 * its first requests, and one without a store still serves requests that need none.
 */
export async function waitForStores(stores: Iterable<Store>): Promise<void> {
  await Promise.all([...stores].map((store) => waitForStore(store, OPENING_MS)));
}

/** Waits until the store accepts commands: a client rejects them before it is connected. Returns false after `limitMs`. */
export async function waitForStore(store: Store, limitMs: number): Promise<boolean> {
  if (store.isReady()) return true;
  return new Promise<boolean>((resolve) => {
    const end = (isReady: boolean) => {
      clearTimeout(timeout);
      removeListener();
      resolve(isReady);
    };
    const removeListener = store.onReady(() => end(true));
    const timeout = setTimeout(() => end(false), limitMs);
  });
}
