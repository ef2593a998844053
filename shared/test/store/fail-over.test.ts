// Masters that freeze, are replaced or move: acknowledged writes stay, and the store recovers by itself.

import { setTimeout as pause } from 'node:timers/promises';
import { keepWriting } from '@tollgate/test-support/acknowledged-writes.js';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedisSentinel } from '@tollgate/test-support/redis-sentinel.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { startTcpProxy } from '@tollgate/test-support/tcp-proxy.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { openRevocationLog } from '../../src/sessions/open-revocation-log.js';
import { followRevocations } from '../../src/sessions/revocation-follower.js';
import { openStore, type Store, waitForStore } from '../../src/store/open-store.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const KEEP_MS = 60_000;
const RECOVERY_MS = 3000;

async function open(t: Test, url: string): Promise<Store> {
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.ok(await waitForStore(store, 5000));
  return store;
}

const writes = (store: Store) => async () =>
  (await store.exchange(`probe:{${Math.random()}}`, 'written', KEEP_MS)) === null;

t.test(
  'frozen master: the promoted replica has all acknowledged writes, and the thawed one no others',
  async (t) => {
    const redis = await startRedisSentinel(t, { sentinels: 3, downAfterMs: 1500 });
    const store = await open(t, redis.url);
    const writers = keepWriting(store);
    await until(() => writers.acknowledged.size > 50, 'some writes are acknowledged');

    redis.master.freeze();
    await redis.promoted();
    const before = writers.acknowledged.size;
    await until(() => writers.acknowledged.size > before, 'writes are acknowledged again');
    redis.master.thaw();
    const thawed = writers.acknowledged.size;
    await until(() => writers.acknowledged.size > thawed + 100, 'writes go on');
    await writers.stop();
    t.strictSame(await writers.lost(await open(t, redis.replica.url)), []);
  },
);

t.test('planned failover: no acknowledged write is lost, and revocations are followed', async (t) => {
  const redis = await startRedisSentinel(t, { sentinels: 3, downAfterMs: 1500 });
  const store = await open(t, redis.url);
  const log = openRevocationLog(store);
  const follower = followRevocations(log, { info() {}, warn() {} });
  t.teardown(() => follower.stop());
  await follower.caughtUp();
  const writers = keepWriting(store);
  await until(() => writers.acknowledged.size > 50, 'some writes are acknowledged');

  await redis.failOver();
  const before = writers.acknowledged.size;
  await until(() => writers.acknowledged.size > before + 50, 'writes are acknowledged again');
  await writers.stop();
  t.strictSame(await writers.lost(await open(t, redis.replica.url)), []);

  await log.append({ sids: ['ended'], keepMs: KEEP_MS });
  await until(() => follower.isRevoked('ended'), 'the session is refused');
  await until(() => follower.lagSeconds() === 0, 'the log is followed');
});

t.test(
  'missing Sentinels: the master is still used, and found again after a broken connection',
  async (t) => {
    const redis = await startRedisSentinel(t);
    const store = await open(t, redis.url);
    for (const sentinel of redis.sentinels) sentinel.freeze();
    await redis.master.client.call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
    await until(writes(store), 'the store is written again');
  },
);

t.test('frozen master of a cluster: its slots are served again while it is frozen', async (t) => {
  const redis = await startRedisCluster(t, { replicas: true, nodeTimeoutMs: 1000 });
  const store = await open(t, redis.urlOfAll);
  const writers = keepWriting(store);
  await until(() => writers.acknowledged.size > 50, 'some writes are acknowledged');
  // The master delays writes until its replica's first acknowledgement.
  await until(async () => ((await redis.replicas[0]?.client.dbsize()) ?? 0) > 0, 'the replica gets writes');

  redis.masters[0]?.freeze();
  await until(() => writers.failedAtMs.length > 0, 'some writes fail');
  await until(async () => {
    const failed = writers.failedAtMs.length;
    const acknowledged = writers.acknowledged.size;
    await until(() => writers.acknowledged.size > acknowledged + 100, 'writes go on');
    return writers.failedAtMs.length === failed;
  }, 'a hundred writes to all slots succeed');
  redis.masters[0]?.thaw();
  const thawed = writers.acknowledged.size;
  await until(() => writers.acknowledged.size > thawed + 100, 'writes go on');
  await writers.stop();
  const others = redis.masters.slice(1).map(({ port }) => `127.0.0.1:${port}`);
  t.strictSame(await writers.lost(await open(t, `redis+cluster://${others.join(',')}/`)), []);
});

t.test('moved name: the client disconnects from a server that became a replica', async (t) => {
  const [old, next] = [await startRedis(t), await startRedis(t)];
  const name = await startTcpProxy(t, old.port);
  const store = await open(t, name.url);
  name.moveTo(next.port);
  await old.client.replicaof('127.0.0.1', next.port);
  const startedMs = performance.now();
  await t.rejects(store.exchange('probe', 'written', KEEP_MS), StoreUnavailableError);
  await until(writes(store), 'the store is written again');
  t.ok(performance.now() - startedMs < RECOVERY_MS);
});

t.test(
  'the client disconnects from a permanent replica once a second, and reads succeed in between',
  async (t) => {
    const [master, replica] = [await startRedis(t), await startRedis(t)];
    const name = await startTcpProxy(t, replica.port);
    const store = await open(t, name.url);
    await replica.client.replicaof('127.0.0.1', master.port);
    await t.rejects(store.exchange('probe', 'written', KEEP_MS), StoreUnavailableError);
    await until(() => name.accepted === 2 && store.isReady(), 'it is connected again');
    for (let i = 0; i < 5; i++) {
      await t.rejects(store.exchange('probe', 'written', KEEP_MS), StoreUnavailableError);
      t.equal(await store.read('probe'), undefined);
    }
    t.equal(name.accepted, 2);
  },
);

t.test('silent host: the client disconnects, and failed writes are not repeated elsewhere', async (t) => {
  const [old, next] = [await startRedis(t), await startRedis(t)];
  const name = await startTcpProxy(t, old.port);
  const store = await open(t, name.url);
  name.moveTo(next.port);
  name.silence();
  const startedMs = performance.now();
  await t.rejects(store.exchange('failed', 'written', KEEP_MS), StoreUnavailableError);
  await until(writes(store), 'the store is written again');
  t.ok(performance.now() - startedMs < RECOVERY_MS);
  await pause(50);
  t.equal(await store.read('failed'), undefined);
});

t.test('a waiting reader of the revocations disconnects from a master that becomes a replica', async (t) => {
  const [master, other] = [await startRedis(t), await startRedis(t)];
  const store = await open(t, master.url);
  const tail = await openRevocationLog(store).openTail();
  t.teardown(() => tail.close());
  const waiting = tail.next('0', 'brief');
  const isBlocked = async () => (await master.client.info('clients')).includes('blocked_clients:1');
  await until(isBlocked, 'the reader waits');
  await master.client.replicaof('127.0.0.1', other.port);
  await t.rejects(waiting, StoreUnavailableError);
});
