// Limits per address: @fastify/rate-limit with the project's counters.

import fc from 'fast-check';
import t from 'tap';
import { type LimitFactor, limitFactors } from '../../../src/config/limit-ranges.js';
import rateLimit, { type Count, createProcessCounter, limitTo } from '../../../src/http/server/rate-limit.js';
import { en } from '../../../src/messages/en.js';
import { StoreUnavailableError } from '../../../src/store/store.js';
import { buildSharedApp } from '../shared-app.js';

type TestContext = Parameters<typeof buildSharedApp>[0];

function buildLimited(t: TestContext, count?: Count, factorOf: LimitFactor = () => 1) {
  return buildSharedApp(t, async (app) => {
    await app.register(rateLimit, {
      addressOf: (request) => `keyed-${request.ip}`,
      ...(count === undefined ? {} : { count }),
      factorOf,
    });
    const shared = count !== undefined;
    app.get('/image', { config: { rateLimit: limitTo({ name: 'image', max: 2, shared }) } }, async () => 'x');
    app.get('/other', { config: { rateLimit: limitTo({ name: 'image', max: 2, shared }) } }, async () => 'x');
    const { count: countOwn } = app.limits.open({ name: 'own', max: 2, shared });
    app.get('/own', { onRequest: countOwn }, async () => 'x');
    app.get('/free', async () => 'x');
    app.post(
      '/login',
      {
        schema: { body: { type: 'object', required: ['a'] } },
        config: { rateLimit: limitTo({ name: 'login', max: 1, hook: 'preHandler', shared }) },
      },
      async () => 'x',
    );
  });
}

t.test('each response states the remaining requests, and a rejection when to retry', async (t) => {
  const { app } = await buildLimited(t);
  for (const remaining of ['1', '0']) {
    const { statusCode, headers } = await app.inject('/image');
    t.equal(statusCode, 200);
    t.match(headers, { 'ratelimit-limit': '2', 'ratelimit-remaining': remaining, 'ratelimit-reset': '60' });
  }
  const refused = await app.inject('/image');
  t.equal(refused.statusCode, 429);
  t.same(refused.json(), { message: en.rate_limited, code: 'rate_limited' });
  t.match(refused.headers, {
    'retry-after': /^(?:59|60)$/,
    'ratelimit-limit': '2',
    'ratelimit-remaining': '0',
    'ratelimit-reset': /^(?:59|60)$/,
    'cache-control': 'no-store',
  });
});

t.test(
  'each address and each limit has its own counter, and routes with the same limit share it',
  async (t) => {
    const { app } = await buildLimited(t);
    for (let i = 0; i < 3; i++) await app.inject('/image');
    t.equal((await app.inject('/other')).statusCode, 429);
    t.equal((await app.inject({ url: '/image', remoteAddress: '10.0.0.9' })).statusCode, 200);
    t.equal((await app.inject({ method: 'POST', url: '/login', payload: { a: 1 } })).statusCode, 200);
    t.equal((await app.inject('/free')).statusCode, 200);
    t.notOk('ratelimit-limit' in (await app.inject('/free')).headers);
  },
);

t.test("an address in a range has the range's limit, and the response states it", async (t) => {
  const ranged = limitFactors(['198.51.100.0/24=3']);
  const { app } = await buildLimited(t, undefined, ranged);
  const ask = (remoteAddress: string, forwarded = '') =>
    app.inject({ url: '/image', remoteAddress, headers: { 'x-forwarded-for': forwarded } });
  const statuses = [];
  for (let at = 0; at < 7; at++) statuses.push((await ask('198.51.100.9')).statusCode);
  t.strictSame(statuses, [200, 200, 200, 200, 200, 200, 429]);
  t.equal((await ask('198.51.100.8')).headers['ratelimit-limit'], '6');
  t.equal(
    (await ask('203.0.113.9', '198.51.100.8')).headers['ratelimit-limit'],
    '2',
    'a header is no address',
  );
});

t.test('a limit after validation does not count malformed requests', async (t) => {
  const { app } = await buildLimited(t);
  const login = (payload: object) => app.inject({ method: 'POST', url: '/login', payload });
  t.equal((await login({})).statusCode, 422);
  t.equal((await login({})).statusCode, 422);
  t.equal((await login({ a: 1 })).statusCode, 200);
  t.equal((await login({ a: 1 })).statusCode, 429);
});

t.test('a forged forwarded address does not select another counter', async (t) => {
  const { app } = await buildLimited(t);
  for (let i = 0; i < 2; i++) {
    await app.inject({
      url: '/image',
      headers: { 'x-forwarded-for': `10.0.0.${i}`, 'x-real-ip': `10.0.0.${i}` },
    });
  }
  t.equal((await app.inject({ url: '/image', headers: { 'x-forwarded-for': '10.9.9.9' } })).statusCode, 429);
});

t.test("a shared limit uses the given counter, by its name and the address's pseudonym", async (t) => {
  const calls: [string, number][] = [];
  const { app } = await buildLimited(t, async (key, windowMs) => {
    calls.push([key, windowMs]);
    return { count: calls.length, ttlMs: 1500 };
  });
  t.match((await app.inject('/image')).headers, { 'ratelimit-remaining': '1', 'ratelimit-reset': '2' });
  t.equal((await app.inject('/image')).statusCode, 200);
  const refused = await app.inject('/image');
  t.equal(refused.statusCode, 429);
  t.equal(refused.headers['retry-after'], '2');
  t.same(calls, Array(3).fill(['image:keyed-127.0.0.1', 60_000]));
});

t.test('an unreachable counter is 503, never a pass and never a counter in memory', async (t) => {
  const { app } = await buildLimited(t, async () => {
    throw new StoreUnavailableError('away');
  });
  for (let i = 0; i < 4; i++) {
    const response = await app.inject('/image');
    t.equal(response.statusCode, 503);
    t.equal(response.json().code, 'store_unavailable');
    t.equal(response.headers['retry-after'], '1');
  }
});

t.test('a shared limit without a counter, or one not created with limitTo, stops the start', async (t) => {
  const build = (config: unknown) =>
    buildSharedApp(t, async (app) => {
      await app.register(rateLimit, { addressOf: (request) => request.ip });
      app.get('/x', { config: { rateLimit: config as never } }, async () => 'x');
    });
  await t.rejects(build(limitTo({ name: 'x', max: 1, shared: true })), /x is shared/);
  await t.rejects(build({ max: 1 }), /limitTo/);
});

t.test('a window begins with its first request and is not extended', async (t) => {
  let nowMs = 0;
  const count = createProcessCounter(() => nowMs);
  t.same(await count('a', 1000), { count: 1, ttlMs: 1000 });
  nowMs = 900;
  t.same(await count('a', 1000), { count: 2, ttlMs: 100 });
  nowMs = 999.5;
  t.same(await count('a', 1000), { count: 3, ttlMs: 1 });
  nowMs = 1000;
  t.same(await count('a', 1000), { count: 1, ttlMs: 1000 });
});

t.test('the oldest window is dropped when there are too many keys', async (t) => {
  const count = createProcessCounter(() => 0, 2);
  await count('a', 1000);
  await count('b', 1000);
  await count('a', 1000);
  await count('c', 1000);
  t.equal((await count('b', 1000)).count, 2);
  t.equal((await count('a', 1000)).count, 1);
});

t.test('within a window counts rise by one, for any order of keys and times', async (t) => {
  const step = fc.record({ key: fc.constantFrom('a', 'b'), waitMs: fc.nat(700) });
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      let nowMs = 0;
      const count = createProcessCounter(() => nowMs);
      const windows = new Map<string, { start: number; seen: number }>();
      for (const { key, waitMs } of steps) {
        nowMs += waitMs;
        const known = windows.get(key);
        const window = known !== undefined && nowMs < known.start + 1000 ? known : { start: nowMs, seen: 0 };
        windows.set(key, { ...window, seen: window.seen + 1 });
        const result = await count(key, 1000);
        if (result.count !== window.seen + 1 || result.ttlMs !== window.start + 1000 - nowMs) return false;
      }
      return true;
    }),
  );
  t.pass('held for all sequences tried');
});

t.test('HEAD does not use up the limit of GET, and has its own limit, counted in the process', async (t) => {
  const keys: string[] = [];
  const countInProcess = createProcessCounter();
  const count: Count = (key, windowMs) => {
    keys.push(key);
    return countInProcess(key, windowMs);
  };
  const { app } = await buildLimited(t, count);
  for (const url of ['/image', '/own']) {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await app.inject({ method: 'HEAD', url })).statusCode);
    t.same(statuses, [200, 200, 429], url);
    t.same(keys, [], url);
    t.match((await app.inject(url)).headers, { 'ratelimit-remaining': '1' }, url);
    t.equal(keys.splice(0).length, 1);
  }
});
