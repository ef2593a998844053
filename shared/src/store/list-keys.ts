// Lists the keys of a store, for operators' commands: reading all keys takes time.

import { Cluster } from 'ioredis';
import type { Store } from './open-store.js';
import { asStoreError } from './redis-connection.js';

/** Keys that a server examines per scan step: about a millisecond, in which it serves nobody else. */
const SCAN_COUNT = 2000;

/** Reads that wait for their replies at once: each has the time limit of a command. */
const READS_AT_ONCE = 500;

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

/** Calls a function for each value, a few hundred at once, and returns its results in order. */
export async function readAll<T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < values.length; from += READS_AT_ONCE) {
    results.push(...(await Promise.all(values.slice(from, from + READS_AT_ONCE).map(read))));
  }
  return results;
}
