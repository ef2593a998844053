// Finds the service's data for a command: the project's folder, an existing store, the secret of the pseudonyms.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, readSecretsFile } from '@tollgate/shared/config';
import { type Store, StoreUnavailableError, withConnectedStore } from '@tollgate/shared/store';

/** Root of the project, five levels above this compiled file. Relative paths of the configuration start from it. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Returns whether a URL names a missing store file. */
export function storeFileMissing(url: string): boolean {
  const path = /^file:(.+)/s.exec(url)?.[1];
  return path !== undefined && !existsSync(resolve(PROJECT_ROOT, path));
}

/**
 * Connects to the store of a variable, passes it to `use`, and closes it afterwards. Never creates a store: in the wrong
 * folder a command would find nothing and create an empty store.
 *
 * @throws ConfigurationError if the value of the variable is invalid
 * @throws StoreUnavailableError if the store does not respond or its file does not exist
 */
export async function withExistingStore<T>(
  variable: string,
  url: string,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  if (storeFileMissing(url)) {
    const hint = 'start the service first, or set STORE_URL or DATA_DIR';
    throw new StoreUnavailableError(`there is no ${url} (${variable}): ${hint}`);
  }
  return withConnectedStore(variable, url, PROJECT_ROOT, use);
}

/**
 * The value of CHALLENGE_SECRET, which keys the pseudonyms of accounts and addresses: from the environment, or from the
 * secrets file of `npm start` or of a service on this machine.
 * @throws ConfigurationError if there is none
 */
export function challengeSecret(values: {
  readonly CHALLENGE_SECRET?: string | undefined;
  readonly DATA_DIR: string;
}): string {
  if (values.CHALLENGE_SECRET !== undefined) return values.CHALLENGE_SECRET;
  const made = readSecretsFile(resolve(PROJECT_ROOT, values.DATA_DIR))?.CHALLENGE_SECRET;
  if (made !== undefined) return made;
  throw new ConfigurationError([
    "CHALLENGE_SECRET is missing: it must be session-service's, which keys the accounts in the store",
  ]);
}
