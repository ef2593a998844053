// Raises the store's command timeout, for tests of other subjects.

import type { Store } from '@tollgate/shared/store';
import { Cluster, type Redis } from 'ioredis';

/** A busy machine responds to hundreds of concurrent commands later than a service's timeout. */
const RAISED = { commandTimeout: 20_000, socketTimeout: 30_000 };

/** Raises the command timeout of the store's client. Call it before the client connects. */
export function raiseCommandTimeout(store: Store): void {
  if (store.kind !== 'redis') return;
  const { client } = store;
  const raise = ({ options }: Pick<Redis, 'options'>) => void Object.assign(options, RAISED);
  if (!(client instanceof Cluster)) {
    raise(client);
    return;
  }
  Object.assign(client.options.redisOptions ?? {}, RAISED);
  // Each node's client has its own options, copied before this call.
  for (const node of client.nodes()) raise(node);
  client.on('+node', raise);
}
