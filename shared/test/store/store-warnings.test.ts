// What a node says about a Redis that would lose what it should keep.

import { once } from 'node:events';
import t from 'tap';
import { openStore } from '../../src/store/open-store.js';
import { logStoreWarnings, storeWarnings } from '../../src/store/store-warnings.js';
import { startRedis } from '../../src/test/redis-server.js';
import { embeddedStore, redisStore } from '../../src/test/stores.js';

t.test('a Redis as it should be gives no warning', async (t) => {
  const { store } = await redisStore(t);
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  t.strictSame(await storeWarnings(store), []);
});

t.test('a Redis that may evict keys is warned of', async (t) => {
  const { store, redis } = await redisStore(t);
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  await redis.client.config('SET', 'maxmemory-policy', 'volatile-lru');
  t.strictSame(await storeWarnings(store), [
    'Redis may evict keys (maxmemory-policy volatile-lru): sessions and spent challenges could be lost',
  ]);
});

t.test('clocks more than two seconds apart are warned of, in either direction', async (t) => {
  const { store } = await redisStore(t);
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  const warningsAt = (aheadMs: number) => storeWarnings(store, () => Date.now() + aheadMs);
  for (const aheadMs of [-7000, 7000]) {
    t.strictSame(await warningsAt(aheadMs), ['the clocks of Redis and of this node are 7 s apart']);
  }
  for (const aheadMs of [-1000, 1000]) t.strictSame(await warningsAt(aheadMs), []);
});

t.test('warnings are logged when the connection is ready, and again after each new one', async (t) => {
  const redis = await startRedis(t);
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  const warned = logOf();
  logStoreWarnings(store, warned);
  await warned.next();
  const reconnected = once(store.client, 'ready');
  store.client.disconnect(true);
  await reconnected;
  await warned.next();
  t.equal(warned.lines.length, 2);
  t.match(warned.lines[1], /allkeys-lru/);
});

t.test('an embedded store is never warned of', async (t) => {
  const { store } = embeddedStore(t);
  const warned = logOf();
  logStoreWarnings(store, warned);
  await store.timeMs();
  t.strictSame(warned.lines, []);
});

function logOf() {
  const lines: string[] = [];
  let arrived = () => {};
  return {
    lines,
    warn(_about: object, message: string) {
      lines.push(message);
      arrived();
    },
    next: () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
      }),
  };
}
