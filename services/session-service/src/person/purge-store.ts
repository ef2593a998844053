// Makes deleted data leave the files of a store.

import type { Store } from '@tollgate/shared/store';
import { Cluster } from 'ioredis';

/**
 * How deleted data leaves the files: `purged` from the embedded store's file; `locked` if that could not be rewritten;
 * `rewriting` if Redis rewrites its append-only file now; `refused` if Redis did not allow that; `snapshot` if Redis has no
 * append-only file.
 */
export type Purge = 'purged' | 'locked' | 'rewriting' | 'refused' | 'snapshot';

/** Removes the remains of deleted data from the files of a store as far as this process may. Never throws. */
export async function purgeStore(store: Store): Promise<Purge> {
  if (store.kind === 'embedded') return (await store.purge()) ? 'purged' : 'locked';
  const { client } = store;
  const results = new Set<Purge>();
  for (const server of client instanceof Cluster ? client.nodes('master') : [client]) {
    try {
      const facts = await server.info('persistence');
      if (!/^aof_enabled:1\r?$/m.test(facts)) {
        results.add('snapshot');
        continue;
      }
      await server.bgrewriteaof();
      results.add('rewriting');
    } catch {
      results.add('refused');
    }
  }
  return (['refused', 'rewriting'] as const).find((result) => results.has(result)) ?? 'snapshot';
}
