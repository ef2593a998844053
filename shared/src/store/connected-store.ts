// Opens a store for the time of a command.

import { openConfiguredStore } from './configured-store.js';
import { closeStore, type Store } from './open-store.js';
import { StoreUnavailableError } from './store-errors.js';
import { waitForStore } from './wait-for-store.js';

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
