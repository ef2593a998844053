// Opening and closing a store of either kind, and its clock.

import { once } from 'node:events';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import { settlesWithin } from '@tollgate/test-support/within.js';
import { Cluster } from 'ioredis';
import t from 'tap';
import { openStore, waitForStores } from '../../src/store/open-store.js';
import { asStoreError, type RedisClient, reconnectDelayMs } from '../../src/store/redis-connection.js';
import { StoreUnavailableError } from '../../src/store/store.js';

t.test('a store returns its own time in milliseconds', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const before = Date.now();
    const timeMs = await store.timeMs();
    t.ok(Number.isInteger(timeMs));
    t.ok(timeMs >= before - 1 && timeMs <= Date.now() + 1);
  });
});

/** All socket reads by a client's servers so far. */
async function readsOf(client: RedisClient): Promise<number> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  const infos = await Promise.all(servers.map((server) => server.info('stats')));
  return infos.reduce((sum, info) => sum + Number(/total_reads_processed:(\d+)/.exec(info)?.[1]), 0);
}

t.test(
  'operations of one turn of the event loop reach a server together, and each has its own result',
  async (t) => {
    await eachStore(t, async (t, { store }) => {
      const keys = Array.from({ length: 300 }, (_, at) => `probe:{${at}}`);
      await Promise.all(keys.map((key) => store.exchange(key, key, 60_000)));
      const before = store.kind === 'redis' ? await readsOf(store.client) : 0;
      t.strictSame(await Promise.all(keys.map((key) => store.read(key))), keys);
      if (store.kind === 'redis') t.ok((await readsOf(store.client)) - before < keys.length / 10);
    });
  },
);

t.test('an unreachable Redis can be opened, each command fails at once, and closing completes', async (t) => {
  const redis = await startRedis(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  await waitForStores([store]);
  t.notOk(store.isReady(), 'nobody waits for it for ever');
  const failing = t.rejects(store.timeMs(), StoreUnavailableError).then(() => store.close());
  t.ok(await settlesWithin(1000, failing));
  await failing;
  await t.rejects(store.timeMs(), StoreUnavailableError);
});

t.test('a store that is still connecting is awaited', async (t) => {
  const { url } = await startRedis(t);
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.notOk(store.isReady());
  await waitForStores([store]);
  t.type(await store.timeMs(), 'number');
});

t.test('a store that returns is used again automatically', async (t) => {
  const { store, redis } = await redisStore(t);
  await store.timeMs();
  await redis.stop();
  await t.rejects(store.timeMs(), StoreUnavailableError);
  await redis.start();
  let timeMs: number | undefined;
  await until(async () => {
    timeMs = await store.timeMs();
    return true;
  }, 'the store answers again');
  t.type(timeMs, 'number');
});

t.test('an unresponsive store is unavailable after half a second', async (t) => {
  const redis = await startRedis(t);
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  await store.timeMs();
  await redis.client.client('PAUSE', 5000);
  const failing = t.rejects(store.timeMs(), StoreUnavailableError);
  t.ok(await settlesWithin(1000, failing));
  await failing;
});

t.test('reconnecting is tried after 100 ms growing to a second, without end', async (t) => {
  t.strictSame([1, 2, 9, 10, 11, 100_000].map(reconnectDelayMs), [100, 200, 900, 1000, 1000, 1000]);
});

t.test(
  'a server that cannot serve is an unavailable store, but not one that rejects an unknown command',
  async (t) => {
    const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
    for (const message of [
      'LOADING Redis is loading the dataset in memory',
      'READONLY You can not write against a read only replica.',
      "OOM command not allowed when used memory > 'maxmemory'.",
      'CLUSTERDOWN The cluster is down',
      'MISCONF Redis is configured to save RDB snapshots',
      'BUSY Redis is busy running a script.',
      'NOAUTH Authentication required.',
      'ERR Error running script (call to f_0): @user_script: 1: -OOM command not allowed',
    ]) {
      t.type(asStoreError(reply(message)), StoreUnavailableError, message);
    }
    t.type(asStoreError(new Error('Connection is closed.')), StoreUnavailableError);
    for (const message of [
      'ERR wrong number of arguments',
      'WRONGTYPE Operation against a key',
      'ERR OOMPH',
    ]) {
      const error = reply(message);
      t.equal(asStoreError(error), error);
    }
  },
);
