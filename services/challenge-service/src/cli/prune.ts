// captcha prune: removes expired entries from a store that does not remove them itself.

import { existsSync } from 'node:fs';
import { ConfigurationError } from '@tollgate/shared/config';
import { openConfiguredStore, parseStoreUrl } from '@tollgate/shared/store';
import { readStoreConfig } from '../config.js';
import { PROJECT_ROOT } from '../project-root.js';

/**
 * Prunes the store of the challenges and returns the line to print.
 * @throws ConfigurationError if its address is not valid or its file cannot be opened
 */
export async function prune(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { storeUrl, storeVariable } = readStoreConfig(env);
  const place = placeOf(storeVariable, storeUrl);
  if (place.kind !== 'embedded') return 'nothing to do: Redis removes what has expired by itself';
  if (!existsSync(place.path)) return `nothing to do: there is no store at ${place.path} yet`;
  const store = openConfiguredStore(storeVariable, storeUrl, PROJECT_ROOT);
  try {
    const removed = await store.prune();
    return `removed ${removed} expired ${removed === 1 ? 'entry' : 'entries'} from ${place.path}`;
  } finally {
    await store.close();
  }
}

function placeOf(variable: string, url: string): ReturnType<typeof parseStoreUrl> {
  try {
    return parseStoreUrl(url, PROJECT_ROOT);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`${variable} ${error.message}`]);
    throw error;
  }
}
