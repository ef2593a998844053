// Raises the time limit of a store's commands, for tests that are not about it.

import type { Store } from '@tollgate/shared/store';
import { Cluster, type Redis } from 'ioredis';

/** A busy machine answers hundreds of commands at once later than a service would wait. */
const RAISED = { commandTimeout: 20_000, socketTimeout: 30_000 };

/** Raises the time limit of the store's client. Call it before the client connects. */
export function raiseCommandTimeout(store: Store): void {
  if (store.kind !== 'redis') return;
  const { client } = store;
  const raise = ({ options }: Pick<Redis, 'options'>) => void Object.assign(options, RAISED);
  if (!(client instanceof Cluster)) {
    raise(client);
    return;
  }
  Object.assign(client.options.redisOptions ?? {}, RAISED);
  // Each node's client has options of its own, copied before this call.
  for (const node of client.nodes()) raise(node);
  client.on('+node', raise);
}
