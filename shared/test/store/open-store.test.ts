// Stores of either kind: opening, closing, clock, commands of one turn, counted requests, maximum wait.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { freePort } from '@tollgate/test-support/free-port.js';
import { endProcess, launchOnFreePort } from '@tollgate/test-support/redis-process.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import { startTcpProxy } from '@tollgate/test-support/tcp-proxy.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import { settlesWithin } from '@tollgate/test-support/within.js';
import { Cluster } from 'ioredis';
import t, { type Test } from 'tap';
import { openStore, waitForStore, waitForStores } from '../../src/store/open-store.js';
import {
  asStoreError,
  loadScript,
  type RedisClient,
  type RedisStore,
  reconnectDelayMs,
} from '../../src/store/redis-connection.js';
import { openRequestCounter } from '../../src/store/request-counter.js';
import { newAnswerLimit, StoreUnavailableError, underLimit, waitForAnswer } from '../../src/store/store.js';

const TRY_STORE = fileURLToPath(new URL('./programs/try-store.js', import.meta.url));

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

/** Server arguments for TLS with a certificate of its own for a name or an address. */
async function tlsServer(t: Test, subject: string) {
  const folder = tempDir(t);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=a store'],
    ...['-addext', `subjectAltName=${subject}`, '-keyout', key, '-out', certificate],
  ]);
  if (made.status !== 0) return undefined;
  const port = await freePort();
  return {
    port,
    certificate,
    args: [
      ...['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-replication', 'yes'],
      ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
    ],
  };
}

/** The output of a process that uses the store of a URL and trusts a certificate: two values, or the cause of a failure. */
async function tryStore(url: string, certificate?: string): Promise<string> {
  return (await spawnCommand(TRY_STORE, [url], { NODE_EXTRA_CA_CERTS: certificate })).out;
}

t.test('a cluster with TLS is used by its names, which the certificate must contain', async (t) => {
  const tls = await tlsServer(t, 'DNS:localhost');
  if (tls === undefined) return t.comment('SKIPPED: openssl is not installed');
  const { client } = await startRedis(t, 'none', [
    ...[...tls.args, '--cluster-enabled', 'yes', '--tls-cluster', 'yes'],
    ...['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname'],
  ]);
  await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  const serves = async () => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
  await until(serves, 'the cluster serves');
  const urlOf = (host: string) => `rediss+cluster://${host}:${tls.port}/`;
  t.equal(await tryStore(urlOf('localhost'), tls.certificate), 'value value\n');
  t.equal(await tryStore(urlOf('localhost')), 'no_node\n', 'an unknown certificate');
  t.equal(await tryStore(urlOf('127.0.0.1'), tls.certificate), 'no_node\n', 'that of another host');
});

t.test('Sentinels with TLS name a master with TLS', async (t) => {
  const tls = await tlsServer(t, 'IP:127.0.0.1');
  const sentinelTls = await tlsServer(t, 'IP:127.0.0.1');
  if (tls === undefined || sentinelTls === undefined) return t.comment('SKIPPED: openssl is not installed');
  await startRedis(t, 'none', tls.args);
  const file = join(tempDir(t), 'sentinel.conf');
  writeFileSync(file, `sentinel monitor main 127.0.0.1 ${tls.port} 1\n`);
  const args = [...sentinelTls.args.slice(0, -1), tls.certificate];
  const { child } = await launchOnFreePort(() => [file, '--sentinel', ...args]);
  t.teardown(() => endProcess(child));
  const both = join(tempDir(t), 'both.pem');
  writeFileSync(
    both,
    [tls, sentinelTls].map(({ certificate }) => readFileSync(certificate, 'utf8')).join(''),
  );
  const url = `rediss+sentinel://127.0.0.1:${sentinelTls.port}/main`;
  t.equal(await tryStore(url, both), 'value value\n');
  for (const { certificate } of [tls, sentinelTls])
    t.equal(await tryStore(url, certificate), 'certificate\n', 'it trusts only one of them');
});

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

// Counting requests in windows shared by all nodes.

t.test(
  'a window begins with the first request, is not prolonged, and is followed by a new one',
  async (t) => {
    await eachStore(t, async (t, { store, age }) => {
      const count = openRequestCounter(store, 'captcha');
      t.strictSame(await count('image:a', 60_000), { count: 1, ttlMs: 60_000 });
      await age(40_000);
      const second = await count('image:a', 60_000);
      t.equal(second.count, 2);
      t.ok(second.ttlMs > 15_000 && second.ttlMs <= 20_000, `${second.ttlMs}`);
      t.equal((await count('image:b', 60_000)).count, 1);
      await age(20_000);
      t.strictSame(await count('image:a', 60_000), { count: 1, ttlMs: 60_000 });
    });
  },
);

t.test('each of 200 parallel requests from two nodes has its own number', async (t) => {
  const { store, reopen } = await redisStore(t);
  const here = openRequestCounter(store, 'captcha');
  const there = openRequestCounter(await reopen(), 'captcha');
  const counted = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? here : there)('login:a', 60_000)),
  );
  const numbers = counted.map(({ count }) => count).sort((a, b) => a - b);
  t.strictSame(
    numbers,
    Array.from({ length: 200 }, (_, i) => i + 1),
  );
});

t.test('a counter is stored under its prefix and always with an expiry', async (t) => {
  const { store, redis } = await redisStore(t);
  await openRequestCounter(store, 'session')('login:a', 60_000);
  t.strictSame(await redis.client.keys('*'), ['session:limit:login:a']);
  t.ok((await redis.client.pttl('session:limit:login:a')) > 0);
});

// Commands of one turn of the event loop keep their order, their timeouts and their errors.

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

// The maximum wait of one request for unresponsive stores.

t.test("after a vain wait a request's further commands wait only briefly", async (t) => {
  const redis = await startRedis(t);
  const store = openStore(redis.url, '');
  t.teardown(() => store.close());
  await waitForStore(store, 2000);
  const operations = { read: store.read, exchange: store.exchange };

  const limit = newAnswerLimit();
  t.equal(underLimit(null, operations), operations);
  t.equal(underLimit(limit, operations), operations, 'nothing is used up yet');
  t.equal(await waitForAnswer(limit, store.read('none')), undefined);
  t.equal(limit.leftMs, 500, 'an answer that comes uses up no time');
  await t.rejects(waitForAnswer(limit, Promise.reject(new TypeError('a bug'))), TypeError);
  t.equal(limit.leftMs, 500, 'nor does what no store has failed');

  redis.freeze();
  await t.rejects(waitForAnswer(limit, store.read('none')), StoreUnavailableError);
  t.ok(limit.leftMs < 50, `${limit.leftMs} ms are left`);
  const sinceMs = performance.now();
  const again = underLimit(limit, operations);
  await t.rejects(again.read('none'), StoreUnavailableError);
  await t.rejects(again.exchange('key', 'value', 1000), StoreUnavailableError);
  t.ok(performance.now() - sinceMs < 400, 'both gave up before the client does');

  redis.thaw();
  await waitForStore(store, 5000);
  t.equal(await underLimit(newAnswerLimit(), operations).read('none'), undefined);
});
