// Runs one test on every store.

import { once } from 'node:events';
import { join } from 'node:path';
import { openStore, type Store } from '@tollgate/shared/store';
import type { Test } from 'tap';
import { ageRedis } from './ageing.js';
import { raiseCommandTimeout } from './command-timeout.js';
import { oncePerFile } from './once-per-file.js';
import { startRedisCluster } from './redis-cluster.js';
import { startRedisSentinel } from './redis-sentinel.js';
import { type RedisServer, startRedis } from './redis-server.js';
import { tempDir } from './temp-dir.js';

/** A store for a test's exclusive use. */
export interface StoreUnderTest {
  readonly kind: Store['kind'];
  readonly store: Store;
  /** The address by which another process opens it. */
  readonly url: string;
  /** Ages all stored data by a whole number of milliseconds. */
  age(ms: number): Promise<void>;
  /** The store's time, in milliseconds since 1970: on the embedded store ahead of the machine's by the aged amount. */
  readonly clock: () => number;
  /** The same data as opened by another process: on Redis another connection, otherwise the file closed and opened. */
  reopen(): Promise<Store>;
  /** The server behind a store on a plain Redis: other tests of the file may use it too, so it is not stopped. */
  readonly redis?: Pick<RedisServer, 'client' | 'commands'>;
}

type Run = (t: Test, place: StoreUnderTest) => Promise<void>;

/**
 * Tests the contract of a store operation: runs the same sub-test on Redis, on a Redis Cluster of three masters, on a Redis
 * behind a Sentinel, and on an embedded store, each of them empty.
 */
export async function eachStore(t: Test, run: Run): Promise<void> {
  await eachKind(t, run);
  await t.test('on Redis Cluster', async (t) => run(t, await clusterStore(t)));
  await t.test('behind a Redis Sentinel', async (t) => run(t, await sentinelStore(t)));
}

/** Runs the same sub-test on Redis and on an embedded store, both empty, for tests of code above the store. */
export async function eachKind(t: Test, run: Run): Promise<void> {
  await t.test('on Redis', async (t) => run(t, await emptyRedisStore(t)));
  await t.test('on the embedded store', async (t) => run(t, embeddedStore(t)));
}

/** A store on a private Redis; its connection is ready. @param prepare receives the store before it is connected */
export async function redisStore(
  t: Test,
  prepare: (store: Store) => void = () => {},
): Promise<StoreUnderTest & { readonly redis: RedisServer }> {
  const redis = await startRedis(t);
  return { ...(await connectTo(t, redis.url, prepare)), age: (ms) => ageRedis(redis.client, ms), redis };
}

// Servers take a moment to start, and a cluster takes seconds to form, so one of each kind serves all tests of a file.
const plain = oncePerFile((owner) => startRedis(owner));
const cluster = oncePerFile(startRedisCluster);
// No store test stops the master, so a busy machine must not look like a failed one.
const SILENCE_MS = 30_000;
const sentinel = oncePerFile((owner) => startRedisSentinel(owner, { downAfterMs: SILENCE_MS }));

/** A store on a Redis without data or scripts, as after its start. */
async function emptyRedisStore(t: Test): Promise<StoreUnderTest> {
  const { url, client, commands } = await plain();
  await client.flushall();
  await client.script('FLUSH');
  return {
    ...(await connectTo(t, url, raiseCommandTimeout)),
    age: (ms) => ageRedis(client, ms),
    redis: { client, commands },
  };
}

/** A store on a Redis Cluster of three masters, empty. */
export async function clusterStore(t: Test): Promise<StoreUnderTest> {
  const { url, clear, age } = await cluster();
  await clear();
  return { ...(await connectTo(t, url, raiseCommandTimeout)), age };
}

/** A store on a master that a Sentinel names, empty. */
async function sentinelStore(t: Test): Promise<StoreUnderTest> {
  const { url, master } = await sentinel();
  await master.client.flushall();
  return { ...(await connectTo(t, url, raiseCommandTimeout)), age: (ms) => ageRedis(master.client, ms) };
}

async function connectTo(
  t: Test,
  url: string,
  prepare: (store: Store) => void,
): Promise<Omit<StoreUnderTest, 'age'>> {
  const connect = async (): Promise<Store> => {
    const store = openStore(url, '.');
    t.teardown(() => store.close());
    prepare(store);
    if (store.kind === 'redis') await once(store.client, 'ready');
    await store.timeMs();
    return store;
  };
  return { kind: 'redis', url, store: await connect(), clock: () => Date.now(), reopen: connect };
}

/** An embedded store whose clock `age` moves forward. */
export function embeddedStore(t: Test): StoreUnderTest {
  const path = join(tempDir(t), 'store.db');
  const url = `file:${path}`;
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const open = () => openStore(url, '.', clock);
  let store = open();
  t.teardown(() => store.close());
  return {
    kind: 'embedded',
    url,
    store,
    clock,
    async age(ms) {
      aheadMs += ms;
    },
    async reopen() {
      await store.close();
      store = open();
      return store;
    },
  };
}
