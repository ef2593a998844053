// Opens the store that a variable names, and says what is wrong with it in the variable's words.

import { ConfigurationError } from '../schemas/configuration-error.js';
import { openStore, type Store } from './open-store.js';
import { StoreUnavailableError } from './store-errors.js';
import { describeStoreUrl } from './store-url.js';

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
