// A Redis or PostgreSQL with frozen processes: operations that need no reply do not wait for one.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { namespacesMissing, nodeInNamespace } from '@tollgate/test-support/pid-namespace.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { until as untilSo } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import { hashPassword } from '../src/passwords/password-hash.js';
import { startPostgres } from './support/postgres.js';
import { until } from './support/session-node.js';
import { openServiceHere, startSessionService } from './support/session-process.js';

const PASSWORD = 'right password';
const REPEATS = 15;

/** A service with real servers, and a session on it. */
async function open(t: Test) {
  const [redis, postgres] = [await startRedis(t), await startPostgres(t)];
  await postgres.sql(`
    CREATE TABLE members (id bigint PRIMARY KEY, email text, hash text, disabled boolean);
    INSERT INTO members VALUES (1, 'ada@example.com', '${await hashPassword(PASSWORD)}', false)`);
  const { publicUrl, adminUrl } = await openServiceHere(t, {
    STORE_URL: redis.url,
    USERS_URL: postgres.url,
    RATE_LIMIT_LOGIN: '100000',
    RATE_LIMIT_REFRESH: '100000',
    USERS_BY_EMAIL: 'SELECT id, email, hash, disabled FROM members WHERE email = $1',
    USERS_BY_ID: 'SELECT id, email, hash, disabled FROM members WHERE id = $1',
  });
  const logIn = () =>
    fetch(`${publicUrl}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:8080' },
      body: JSON.stringify({ email: 'ada@example.com', password: PASSWORD }),
    });
  await until(async () => (await fetch(`${adminUrl}/health/ready`)).status === 200);
  const answer = await logIn();
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const bearer = { authorization: `Bearer ${accessToken}` };
  const cookie = answer.headers.getSetCookie().at(0)?.split(';')[0] ?? '';
  return {
    redis,
    postgres,
    logIn,
    get: (path: string) => fetch(`${publicUrl}${path}`, { headers: bearer }),
    logOut: () => fetch(`${publicUrl}/logout`, { method: 'POST', headers: bearer }),
    refresh: () => fetch(`${publicUrl}/refresh`, { method: 'POST', headers: { cookie } }),
    send: (method: string, path: string) =>
      fetch(publicUrl + path, { method, headers: { ...bearer, cookie, origin: 'http://localhost:8080' } }),
    ready: () => fetch(`${adminUrl}/health/ready`),
    lag: async () => {
      const figures = await (await fetch(`${adminUrl}/metrics`)).text();
      return Number(/^tollgate_revocation_lag_seconds (\S+)$/m.exec(figures)?.[1]);
    },
  };
}

/** The status of every response, and their median duration in milliseconds. */
async function repeated(ask: () => Promise<Response>) {
  const statuses = new Set<number>();
  const took: number[] = [];
  for (let at = 0; at < REPEATS; at++) {
    const sinceMs = performance.now();
    statuses.add((await ask()).status);
    took.push(performance.now() - sinceMs);
  }
  return { statuses: [...statuses], medianMs: took.sort((a, b) => a - b)[REPEATS >> 1] ?? 0 };
}

t.test('with a frozen Redis each verification took half a second', async (t) => {
  const { redis, get, lag, logOut, ready, logIn } = await open(t);
  redis.freeze();
  await until(async () => (await lag()) > 0);
  // The first request may wait for the time limit.
  t.equal((await get('/verify')).status, 204);
  for (const [path, status] of [
    ['/verify', 204],
    ['/profile', 200],
  ] as const) {
    const { statuses, medianMs } = await repeated(() => get(path));
    t.strictSame(statuses, [status]);
    t.ok(medianMs < 250, `${path}: ${Math.round(medianMs)} ms`);
  }
  t.match(await (await ready()).json(), { status: 'failed', checks: { store: 'failed', directory: 'ok' } });

  redis.thaw();
  await until(async () => (await lag()) === 0);
  await until(async () => (await ready()).status === 200);
  t.equal((await logOut()).status, 204);
  t.equal((await get('/verify')).status, 401, 'the end of the session is seen');
  t.equal((await logIn()).status, 200);
});

t.test('a request that continues without a reply waits for half a second in total', async (t) => {
  const { redis, send, logIn } = await open(t);
  const asked = [
    // Needs no reply: its delay is that of a busy machine.
    ['GET', '/profile'],
    ['GET', '/sessions'],
    ['DELETE', '/sessions'],
    ['DELETE', '/sessions/0123456789abcdefABCDEF'],
    ['POST', '/logout'],
    ['POST', '/refresh'],
    ['DELETE', '/refresh'],
  ] as const;
  const measured = async ([method, path]: readonly [string, string]) => {
    const sinceMs = performance.now();
    const { status } = await send(method, path);
    return { asks: `${method} ${path}`, path, status, tookMs: performance.now() - sinceMs };
  };
  // By the last requests, the service's copy of ended sessions is outdated.
  redis.freeze();
  const answers: Promise<Awaited<ReturnType<typeof measured>>>[] = [];
  for (let round = 0; round < 12; round++) {
    answers.push(...asked.map(measured));
    await pause(100);
  }
  const measurements = await Promise.all(answers);
  const delays = measurements.filter(({ path }) => path === '/profile').map(({ tookMs }) => tookMs);
  const delayMs = Math.max(...delays);
  for (const { asks, path, status, tookMs } of measurements) {
    t.equal(status, path === '/profile' ? 200 : 503, asks);
    t.ok(tookMs - delayMs < 800, `${asks}: ${Math.round(tookMs)} ms, ${Math.round(delayMs)} without Redis`);
  }
  redis.thaw();
  await until(async () => (await logIn()).status === 200);
});

t.test('with a frozen PostgreSQL the service was not ready, although refreshes continued', async (t) => {
  const { postgres, get, refresh, ready, logIn } = await open(t);
  postgres.freeze();
  t.equal((await refresh()).status, 200, 'the first waits for the time limit');
  const { statuses, medianMs } = await repeated(refresh);
  t.strictSame(statuses, [200]);
  t.ok(medianMs < 1000, `${Math.round(medianMs)} ms`);
  t.equal((await get('/verify')).status, 204);
  const answer = await ready();
  t.equal(answer.status, 200);
  t.match(await answer.json(), { status: 'degraded', checks: { store: 'ok', directory: 'failed' } });
  t.equal((await logIn()).status, 503);

  postgres.thaw();
  await until(async () => (await logIn()).status === 200);
  t.match(await (await ready()).json(), { status: 'ok' });
  await postgres.sql('UPDATE members SET disabled = true');
  await until(async () => (await refresh()).status === 401);
});

t.test(
  'a container that was stopped while it waited for its store ended by force',
  { skip: namespacesMissing() },
  async (t) => {
    let hasAsked = false;
    const silent = createServer((socket) => {
      hasAsked = true;
      t.teardown(() => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.teardown(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    let pid: number | undefined;
    const onPid = (unshare: number) => {
      pid = unshare;
    };
    const env = { STORE_URL: `redis://127.0.0.1:${port}` };
    const stopped = startSessionService(t, env, nodeInNamespace, onPid);
    await untilSo(() => hasAsked, 'it connects to its store');
    // In its namespace it is process 1, to which signals without a listener do nothing.
    const [inside] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    const again = setInterval(() => {
      try {
        process.kill(Number(inside), 'SIGTERM');
      } catch {
        clearInterval(again);
      }
    }, 10);
    t.strictSame(await stopped, { code: 143, complaint: [] });
  },
);
