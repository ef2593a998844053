// Lists the keys of a store, for operators' commands: reading all keys takes time.

import { Cluster } from 'ioredis';
import type { Store } from './open-store.js';
import { asStoreError } from './redis-connection.js';

/** Keys that a server examines per scan step. */
const SCAN_COUNT = 500;

/**
 * Returns the keys with this prefix, on a cluster of all masters. Keys that are written meanwhile may be missing; on the
 * embedded store expired ones may be among them.
 * @throws StoreUnavailableError if the store does not respond
 */
export async function listKeys(store: Store, prefix: string): Promise<string[]> {
  if (store.kind === 'embedded') return store.keys(prefix);
  const { client } = store;
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  const found = new Set<string>();
  for (const server of client instanceof Cluster ? client.nodes('master') : [client]) {
    let cursor = '0';
    do {
      try {
        let keys: string[];
        [cursor, keys] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
        for (const key of keys) found.add(key);
      } catch (error) {
        throw asStoreError(error);
      }
    } while (cursor !== '0');
  }
  return [...found].sort();
}
