// Runs one test on every kind of store.

import { once } from 'node:events';
import { join } from 'node:path';
import type { Test } from 'tap';
import { closeStore, openStore, type Store } from '../../src/store/open-store.js';
import { ageRedis } from './ageing.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { tempDir } from './temp-dir.js';

/** A store that a test may use as it likes. */
export interface StoreUnderTest {
  readonly kind: Store['kind'];
  readonly store: Store;
  /** Makes all that is stored older by a whole number of milliseconds. */
  age(ms: number): Promise<void>;
  /** The same data as another process would open it: on Redis another connection, else the file closed and opened. */
  reopen(): Promise<Store>;
  /** The server behind a store on Redis. */
  readonly redis?: RedisServer;
}

/** Runs the same sub-test on a private Redis and on an embedded store in a folder of its own. */
export async function eachStore(
  t: Test,
  run: (t: Test, place: StoreUnderTest) => Promise<void>,
): Promise<void> {
  await t.test('on Redis', async (t) => run(t, await redisStore(t)));
  await t.test('on the embedded store', async (t) => run(t, embeddedStore(t)));
}

/** A store on a private Redis; its connection is ready. */
export async function redisStore(t: Test): Promise<StoreUnderTest & { readonly redis: RedisServer }> {
  const redis = await startRedis(t);
  const connect = async (): Promise<Store> => {
    const store = openStore(redis.url, '.');
    t.teardown(() => closeStore(store));
    if (store.kind === 'redis') await once(store.client, 'ready');
    return store;
  };
  return {
    kind: 'redis',
    store: await connect(),
    age: (ms) => ageRedis(redis.client, ms),
    reopen: connect,
    redis,
  };
}

/** An embedded store whose clock `age` moves forward. */
export function embeddedStore(t: Test): StoreUnderTest {
  const folder = tempDir(t);
  let aheadMs = 0;
  const open = () => openStore(`file:${join(folder, 'store.mdb')}`, '.', () => Date.now() + aheadMs);
  let store = open();
  t.teardown(() => closeStore(store));
  return {
    kind: 'embedded',
    store,
    async age(ms) {
      aheadMs += ms;
    },
    async reopen() {
      await closeStore(store);
      store = open();
      return store;
    },
  };
}
