// Commands of one turn of the event loop keep their order, their timeouts and their errors.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { startTcpProxy } from '@tollgate/test-support/tcp-proxy.js';
import { until } from '@tollgate/test-support/until.js';
import { Cluster } from 'ioredis';
import t, { type Test } from 'tap';
import { openStore, waitForStore } from '../../src/store/open-store.js';
import { loadScript, type RedisStore } from '../../src/store/redis-connection.js';
import { StoreUnavailableError } from '../../src/store/store.js';

const KEEP_MS = 60_000;
const SCRIPTS = new URL('../../../lua/', import.meta.url);

async function openAt(t: Test, url: string): Promise<RedisStore> {
  const store = openStore(url, '.');
  if (store.kind !== 'redis') throw new TypeError('the store is not on Redis');
  t.teardown(() => store.close());
  t.ok(await waitForStore(store, 5000));
  return store;
}

t.test(
  'single commands, scripts, pipelines, transactions and QUIT of one turn keep their order',
  async (t) => {
    const { client } = await openAt(t, (await startRedis(t)).url);
    if (client instanceof Cluster) throw new TypeError('a cluster');
    const count = loadScript<[number, number]>(client, SCRIPTS, 'count_request');
    const [set, counted, piped, transaction, last, quit] = await Promise.all([
      client.set('counter', '7'),
      count(['counter'], [KEEP_MS]),
      client.pipeline().incr('counter').incr('counter').exec(),
      client.multi().incr('counter').get('counter').exec(),
      client.get('counter'),
      client.quit(),
    ]);
    t.strictSame([set, counted[0], last, quit], ['OK', 8, '11', 'OK']);
    t.strictSame(piped, [
      [null, 9],
      [null, 10],
    ]);
    t.strictSame(transaction, [
      [null, 11],
      [null, '11'],
    ]);
  },
);

t.test('a command issued right before the client is closed still arrives', async (t) => {
  const redis = await startRedis(t);
  const store = await openAt(t, redis.url);
  const given = store.exchange('last', 'written', KEEP_MS);
  await store.close();
  // Its reply may arrive too late for the closed client.
  await given.catch(() => {});
  await until(async () => (await redis.client.get('last')) === 'written', 'it arrives');
});

t.test("a command's timeout starts when it is issued, not when it is sent", async (t) => {
  const redis = await startRedis(t);
  const store = await openAt(t, redis.url);
  redis.freeze();
  t.teardown(() => redis.thaw());
  const startedMs = performance.now();
  const given = t.rejects(store.read('key'), StoreUnavailableError);
  // The rest of the turn takes most of the timeout.
  while (performance.now() - startedMs < 450);
  await given;
  t.ok(performance.now() - startedMs < 900);
});

t.test('a reply that arrived while the process was blocked does not count as silence', async (t) => {
  const redis = await startRedis(t);
  const store = await openAt(t, redis.url);
  await store.exchange('key', 'value', KEEP_MS);
  redis.freeze();
  t.teardown(() => redis.thaw());
  const given = store.read('key');
  // It is sent at the end of this turn, and its timeout of half a second ends while the process is blocked.
  await turn();
  await turn();
  redis.thaw();
  const startedMs = performance.now();
  while (performance.now() - startedMs < 900);
  t.equal(await given, 'value');
});

t.test(
  'a broken connection with gathered commands is replaced, and waiting commands are sent on the next one',
  async (t) => {
    const redis = await startRedis(t);
    const name = await startTcpProxy(t, redis.port);
    const store = await openAt(t, name.url);
    const { client } = store;
    if (client instanceof Cluster) throw new TypeError('a cluster');
    const given = Array.from({ length: 20 }, (_, at) => store.exchange(`gathered:${at}`, 'written', KEEP_MS));
    // In the same turn: none of them has been sent.
    const broken = client.stream;
    broken.destroy();
    const replies = await Promise.all(given.map((reply) => reply.catch((error: unknown) => error)));
    t.ok(replies.every((reply) => reply === null));
    t.not(client.stream, broken);
    t.equal(name.accepted, 2);
    t.equal(await redis.client.dbsize(), 20);
  },
);

t.test('the client disconnects from a silent server with gathered commands', async (t) => {
  const redis = await startRedis(t);
  const name = await startTcpProxy(t, redis.port);
  const store = await openAt(t, name.url);
  name.silence();
  const startedMs = performance.now();
  const given = Array.from({ length: 20 }, () => store.read('key'));
  await Promise.all(given.map((reply) => t.rejects(reply, StoreUnavailableError)));
  t.ok(performance.now() - startedMs < 3000);
  await until(async () => name.accepted === 2 && store.isReady(), 'another connection is open');
  await pause(50);
  t.equal(await store.read('key'), undefined);
});

t.test('commands without a connection fail without waiting for their timeout', async (t) => {
  const redis = await startRedis(t);
  const store = await openAt(t, redis.url);
  await redis.stop();
  await until(() => !store.isReady(), 'the connection is gone');
  for (const given of Array.from({ length: 20 }, () => store.read('key'))) {
    const failure = (await given.catch((error: unknown) => error)) as StoreUnavailableError;
    t.type(failure, StoreUnavailableError);
    t.notMatch(String(failure.cause), /timed out/);
  }
});
