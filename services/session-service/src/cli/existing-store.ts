// Opens a store that is there already, for the time of a command.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Store, withConnectedStore } from '@tollgate/shared/store/open-store.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store.js';
import { PROJECT_ROOT } from './project-root.js';

/**
 * Hands over the store that a variable names once it is connected, and closes it afterwards. A command that looks makes
 * no store: in the wrong folder it would find nothing and leave an empty one.
 *
 * @throws ConfigurationError when the variable names none
 * @throws StoreUnavailableError when it does not answer, or when there is no such file
 */
export async function withExistingStore<T>(
  variable: string,
  url: string,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const path = /^file:(.+)/s.exec(url)?.[1];
  if (path !== undefined && !existsSync(resolve(PROJECT_ROOT, path))) {
    const hint = 'start the service first, or set STORE_URL or DATA_DIR';
    throw new StoreUnavailableError(`there is no ${url} (${variable}): ${hint}`);
  }
  return withConnectedStore(variable, url, PROJECT_ROOT, use);
}
