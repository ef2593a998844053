// Log lines about a store: failures, durability, differing clocks; and periodic tasks.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tollgate/test-support/free-port.js';
import { endProcess, launchOnFreePort } from '@tollgate/test-support/redis-process.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import { startTcpProxy } from '@tollgate/test-support/tcp-proxy.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { openStore, type Store, waitForStore } from '../../src/store/open-store.js';
import { startPeriodicTask } from '../../src/store/periodic-task.js';
import { StoreUnavailableError } from '../../src/store/store.js';
import type { Held } from '../../src/store/watch/redis-facts.js';
import { watchStore } from '../../src/store/watch/store-watch.js';

const PASSWORD = 'a-password-that-nobody-logs';
const KEY = 'session:ready';

/** A watched store and its log. */
function watched(t: Test, url: string, holds: readonly Held[] = ['challenges'], nowMs = Date.now) {
  const lines: { about: Record<string, unknown>; message: string }[] = [];
  const write = (about: object, message: string) => void lines.push({ about: { ...about }, message });
  const store = openStore(url, '.');
  const log = { info: write, warn: write };
  const watch = watchStore(store, { variable: 'STORE_URL', holds, log, nowMs });
  t.teardown(async () => {
    await watch.stop();
    await store.close();
  });
  const says = (part: RegExp) => lines.some(({ message }) => part.test(message));
  return { store, watch, lines, says, causes: () => lines.flatMap(({ about }) => about.cause ?? []) };
}

/** Reconnects, which inspects the server again. */
async function reconnect(store: Store): Promise<void> {
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  store.client.disconnect(true);
  await until(() => !store.isReady(), 'the connection ends');
  await until(() => store.isReady(), 'it is back');
}

t.test('possible losses are logged once, according to the stored data', async (t) => {
  const redis = await startRedis(t);
  const expected = async (holds: readonly Held[], parts: RegExp[]) => {
    const { store, says, lines } = watched(t, redis.url, holds);
    await until(() => parts.every(says), `it says ${parts}`);
    await reconnect(store);
    await store.timeMs();
    // A second line of another kind would have been logged with the first inspection.
    t.equal(lines.length, parts.length, JSON.stringify(lines));
  };
  await expected(['sessions'], [/no append-only file: a restart loses sessions/]);
  await redis.client.config('SET', 'save', '60 1');
  await expected(['challenges'], [/snapshots only: after a crash it accepts challenges/]);
  await expected(['sessions', 'challenges'], [/snapshots only/, /loses sessions/]);
  await redis.client.config('SET', 'appendonly', 'yes');
  await redis.client.config('SET', 'maxmemory-policy', 'volatile-lru');
  await expected(['sessions', 'challenges'], [/may evict keys \(maxmemory-policy volatile-lru\)/]);
});

t.test('a well-configured Redis causes no line, nor does the start', async (t) => {
  const redis = await startRedis(t, 'always');
  const { store, watch, lines } = watched(t, redis.url, ['sessions', 'challenges']);
  t.equal(await watch.check(KEY), 'ok', 'before the connection is there');
  await reconnect(store);
  t.equal(await watch.check(KEY), 'ok');
  t.strictSame(lines, []);
  const ttlMs = await redis.client.pttl(KEY);
  t.ok(ttlMs > 0 && ttlMs <= 60_000);
});

t.test('a Redis with unreadable settings is reported as unknown', async (t) => {
  const redis = await startRedis(t, 'none', ['--rename-command', 'CONFIG', '']);
  const { says, watch } = watched(t, redis.url);
  await until(() => says(/does not tell whether it keeps snapshots/), 'it says so');
  t.equal(await watch.check(KEY), 'ok');
});

t.test('differing clocks are logged at the beginning and at the end of the difference', async (t) => {
  const redis = await startRedis(t, 'always');
  let aheadMs = 1000;
  const { store, watch, lines } = watched(t, redis.url, ['sessions'], () => Date.now() + aheadMs);
  t.equal(await watch.check(KEY), 'ok', 'a second is nothing');
  const isBehind = (ms: number) => Math.abs((watch.clockOffsetMs ?? 0) + ms) < 500;
  await until(() => isBehind(1000), 'the second is measured');
  for (const [ms, state, line] of [
    [3_600_000, 'clock', 'the clocks of Redis and of this node are 3600 s apart'],
    [-7000, 'clock', undefined],
    [0, 'ok', 'the clocks of Redis and of this node agree again'],
    [-7000, 'clock', 'the clocks of Redis and of this node are 7 s apart'],
  ] as const) {
    aheadMs = ms;
    lines.length = 0;
    await reconnect(store);
    await until(async () => (await watch.check(KEY)) === state, `the check says ${state}`);
    await until(() => isBehind(ms), `Redis is ${ms} ms behind`);
    if (line !== undefined) await until(() => lines.length > 0, 'it is logged');
    t.strictSame(
      lines.map(({ message }) => message),
      line === undefined ? [] : [line],
    );
  }
});

t.test('each cause is logged once, without the password', async (t) => {
  const redis = await startRedis(t, 'always', ['--requirepass', PASSWORD, '--databases', '4']);
  const closed = await startRedis(t, 'always');
  await closed.stop();
  const silent = await startTcpProxy(t, redis.port);
  const authority = `:${PASSWORD}@127.0.0.1`;
  const open = await startRedis(t, 'always');
  const sentinel = async (line: string) => {
    const file = join(tempDir(t), 'sentinel.conf');
    writeFileSync(file, `sentinel monitor main 127.0.0.1 ${open.port} 1\n${line}\n`);
    const { child, port } = await launchOnFreePort(() => [file, '--sentinel']);
    t.teardown(() => endProcess(child));
    return port;
  };
  const cases: readonly [url: string, cause: string][] = [
    [`redis://${authority.replace('logs', 'knows')}:${redis.port}`, 'password'],
    [`redis://127.0.0.1:${redis.port}`, 'password_missing'],
    [`redis://${authority}:${redis.port}/9`, 'no_database'],
    [`redis://:${PASSWORD}@name.invalid:${redis.port}`, 'unknown_host'],
    [`redis+cluster://:${PASSWORD}@name.invalid:${redis.port}/`, 'unknown_host'],
    [`redis://${authority}:${closed.port}`, 'refused'],
    [`redis+cluster://${authority}:${closed.port}/`, 'no_node'],
    [`redis+cluster://${authority.replace('logs', 'knows')}:${redis.port}/`, 'password'],
    [`rediss://${authority}:${redis.port}`, 'no_tls_connection'],
    [`redis+cluster://127.0.0.1:${open.port}/`, 'no_cluster'],
    [`redis+sentinel://127.0.0.1:${closed.port}/main`, 'no_sentinel'],
    [
      `redis+sentinel://${authority}:${await sentinel('requirepass a-password-of-sentinels')}/main`,
      'sentinel_password',
    ],
    [
      `redis+sentinel://${authority}:${await sentinel('user default on nopass &* -@all +ping')}/main`,
      'sentinel_password',
    ],
  ];
  await Promise.all(
    cases.map(async ([url, cause]) => {
      const { store, watch, causes, lines } = watched(t, url);
      await until(() => causes().length > 0, `it says ${cause}`);
      await t.rejects(watch.check(KEY), StoreUnavailableError);
      await waitForStore(store, 300);
      t.strictSame(causes(), [cause], JSON.stringify(lines));
      t.notMatch(JSON.stringify(lines), /a-password/);
    }),
  );

  const { store, causes, says } = watched(t, silent.url.replace('127.0.0.1', `${authority}`));
  t.ok(await waitForStore(store, 5000));
  silent.silence();
  await t.rejects(store.timeMs(), StoreUnavailableError);
  await t.rejects(store.read('any'), StoreUnavailableError);
  t.strictSame(causes(), ['silent']);
  await until(async () => {
    await store.read('any');
    return says(/can be used again/);
  }, 'it says that it is over');
});

t.test('TLS on one side only: the cause is logged on both sides', async (t) => {
  const folder = tempDir(t);
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
    ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
  ]);
  if (made.status !== 0) return t.comment('SKIPPED: openssl is not installed');
  const tlsPort = await freePort();
  await startRedis(t, 'always', [
    ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', join(folder, 'cert.pem'), '--tls-key-file', join(folder, 'key.pem')],
    ...['--tls-ca-cert-file', join(folder, 'cert.pem')],
  ]);
  const plain = watched(t, `redis://127.0.0.1:${tlsPort}`);
  const encrypted = watched(t, `rediss://127.0.0.1:${tlsPort}`);
  await until(() => plain.causes().length > 0 && encrypted.causes().length > 0, 'both are named');
  t.strictSame([plain.causes(), encrypted.causes()], [['closes'], ['certificate']]);
});

t.test('a server that rejects writes is not ready, and one without memory is full', async (t) => {
  const redis = await startRedis(t, 'always');
  const master = await startRedis(t, 'always');
  const { store, watch, causes } = watched(t, redis.url);
  t.equal(await watch.check(KEY), 'ok');

  await redis.client.config('SET', 'maxmemory', '1');
  t.equal(await watch.check(KEY), 'full');
  t.equal(await store.read('any'), undefined);
  t.equal(await watch.check(KEY), 'full');
  t.strictSame(causes(), ['out_of_memory']);
  await redis.client.config('SET', 'maxmemory', '0');
  t.equal(await watch.check(KEY), 'ok');

  await redis.client.config('SET', 'min-replicas-to-write', '1');
  await t.rejects(watch.check(KEY), StoreUnavailableError);
  await redis.client.config('SET', 'min-replicas-to-write', '0');
  await redis.client.replicaof('127.0.0.1', master.port);
  await t.rejects(watch.check(KEY), StoreUnavailableError);
  t.strictSame(causes(), ['out_of_memory', 'too_few_replicas', 'read_only']);

  await redis.client.replicaof('NO', 'ONE');
  await redis.client.acl('SETUSER', 'default', '-set');
  await until(async () => {
    await watch.check(KEY).catch(() => {});
    return causes().at(-1) === 'not_permitted';
  }, 'it names the rules of access');
});

t.test('an embedded store is checked by a write, and causes no line', async (t) => {
  const { url } = embeddedStore(t);
  const { watch, store, lines } = watched(t, url);
  t.equal(await watch.check(KEY), 'ok');
  t.equal(await store.read(KEY), '');
  t.strictSame(lines, []);
});

t.test('a process stayed ready on the removed file of its store', async (t) => {
  const { url } = embeddedStore(t);
  const { watch, lines } = watched(t, url);
  const path = url.slice('file:'.length);
  for (const end of ['', '-wal', '-shm']) renameSync(`${path}${end}`, `${path}${end}.old`);
  await t.rejects(watch.check(KEY), StoreUnavailableError);
  await t.rejects(watch.check(KEY), StoreUnavailableError);
  t.match(lines, [{ message: /the file of the store was replaced or removed: restart this process$/ }]);
  t.equal(lines.length, 1);
});

// Periodic tasks: first run at once or once the store is reachable, a quick retry after a failure, none after the stop.

const NEVER_MS = 3_600_000;

t.test('a failed run is repeated soon, a successful one after the interval', async (t) => {
  const { store } = embeddedStore(t);
  // Neither a periodic task nor an embedded store keeps the process alive.
  const alive = setInterval(() => {}, NEVER_MS);
  t.teardown(() => clearInterval(alive));
  const failures: unknown[] = [];
  let runs = 0;
  const done = await new Promise<{ stop(): Promise<void> }>((resolve) => {
    const started = startPeriodicTask(
      store,
      async () => {
        runs += 1;
        if (runs < 3) throw new Error(`run ${runs}`);
        setImmediate(() => resolve(started));
      },
      { everyMs: NEVER_MS, retryMs: 1, onFailure: (error) => failures.push(error) },
    );
  });
  t.equal(runs, 3);
  t.match(failures, [{ message: 'run 1' }, { message: 'run 2' }]);
  await done.stop();
});

t.test('with Redis unreachable the first run waits for the connection', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const failures: unknown[] = [];
  const answered = new Promise<number>((resolve) => {
    const task = startPeriodicTask(store, async () => resolve(await store.timeMs()), {
      everyMs: NEVER_MS,
      onFailure: (error) => failures.push(error),
    });
    t.teardown(task.stop);
  });
  await redis.start();
  t.ok((await answered) > 0);
  t.strictSame(failures, []);
});

t.test('a stop waits for the current run, and none begins after it', async (t) => {
  const { store } = embeddedStore(t);
  let [begun, ended] = [0, 0];
  let goOn = () => {};
  const task = startPeriodicTask(
    store,
    async () => {
      begun += 1;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      ended += 1;
    },
    { everyMs: 0, onFailure: (error) => t.error(error) },
  );
  const stopped = task.stop();
  t.strictSame([begun, ended], [1, 0]);
  goOn();
  await stopped;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.strictSame([begun, ended], [1, 1]);
});

t.test('a task stopped before the store is reachable never runs', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const task = startPeriodicTask(store, async () => void t.fail('a run began'), {
    everyMs: 0,
    onFailure() {},
  });
  await task.stop();
  await redis.start();
  if (store.kind === 'redis' && store.client.status !== 'ready') await once(store.client, 'ready');
  t.ok((await store.timeMs()) > 0);
});
