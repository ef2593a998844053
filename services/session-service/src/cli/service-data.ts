// Finds the service's data for a command: the project's folder, the store, the secret of the pseudonyms.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, readSecretsFile } from '@tollgate/shared/config';
import { type Store, withExistingStore } from '@tollgate/shared/store';

/** Root of the project, five levels above this compiled file. Relative paths of the configuration start from it. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));

/**
 * Connects to the store of a variable, passes it to `use`, and closes it afterwards.
 * @throws what `withExistingStore` throws
 */
export function withStore<T>(variable: string, url: string, use: (store: Store) => Promise<T>): Promise<T> {
  return withExistingStore(variable, url, PROJECT_ROOT, use);
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
