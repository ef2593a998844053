// Asks a Redis what it is.

import type { Store } from '@tollgate/shared/store/open-store.js';
import { storeTimeMs } from '@tollgate/shared/store/open-store.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import { waitForStore } from '@tollgate/shared/store/wait-for-store.js';
import type { RedisFacts } from './stores.js';

const CONNECT_MS = 3000;

/** Whether the store answers, once its connection has had time to be made. */
export async function answers(store: Store): Promise<boolean> {
  await waitForStore(store, CONNECT_MS);
  try {
    await storeTimeMs(store);
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return false;
    throw error;
  }
}

/** @param nowMs this machine's clock, in milliseconds since 1970 */
export async function redisFacts(
  variable: string,
  store: Store & { kind: 'redis' },
  nowMs = Date.now,
): Promise<RedisFacts> {
  const lines = (await store.client.info()).split('\r\n');
  const info = new Map(
    lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)] as const),
  );
  return {
    variable,
    runId: info.get('run_id') ?? '',
    version: info.get('redis_version') ?? '0',
    policy: info.get('maxmemory_policy'),
    appends: info.get('aof_enabled') === '1',
    offsetMs: (await storeTimeMs(store)) - nowMs(),
  };
}
