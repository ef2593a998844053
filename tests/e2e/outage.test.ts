// Redis fails and returns, has no memory left, or another time: requests that need it get 503, lose nothing and work again
// without a restart; existing sessions continue; the log and readiness report it.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tollgate/test-support/until.js';
import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { refusal } from './refusals.js';
import { CHEAP, onRedis, onStore, type Site } from './site.js';

const RECOVERY_MS = 1_500;

const HOUR_MS = 3_600_000;

t.test('an outage of Redis', (t) => onRedis(t, CHEAP, outage));

async function outage(t: Test, site: Site): Promise<void> {
  const { gateway, redis } = site;
  if (redis === undefined) throw new TypeError('requires Redis');
  const user = await site.newUser();
  const { accessToken, cookie } = await site.logIn(user);
  const { pow_token, pow_nonce } = await site.work();
  const image = await site.image();
  const authorization = `Bearer ${accessToken}`;
  const body = { ...user, pow_token, pow_nonce };

  await t.test('every route that requires the store returns 503, and changes no cookie', async (t) => {
    await redis.stop();
    const requests: [string, string, object][] = [
      ['GET', '/api/captcha/pow', {}],
      ['GET', '/api/captcha', {}],
      ['GET', `/api/captcha/${image.captcha_token}.png`, {}],
      ['POST', '/login', { body }],
      ['POST', '/login', { body: { ...body, pow_nonce: 'malformed' } }],
      ['POST', '/refresh', { headers: { cookie } }],
      ['DELETE', '/refresh', { headers: { cookie } }],
      ['POST', '/logout', { headers: { authorization, cookie } }],
    ];
    for (const [method, path, sent] of requests) {
      const startedMs = performance.now();
      const answer = await gateway.send(method, path, sent);
      away(t, answer, `${method} ${path.slice(0, 16)}`);
      t.ok(performance.now() - startedMs < 1_000, 'at once');
    }
  });

  await t.test('routes without the store continue', async (t) => {
    const profile = await gateway.get('/profile', { headers: { authorization } });
    t.strictSame([profile.status, profile.json], [200, { id: user.id, email: user.email }]);
    t.equal((await gateway.get('/profile')).status, 401);
    t.equal((await gateway.post('/refresh')).status, 401);
    t.equal((await gateway.delete('/refresh')).status, 204, 'no session to end');
    t.equal((await gateway.post('/login', { headers: { origin: 'null' }, body })).status, 403);
    t.equal(
      (await gateway.post('/login', { body: '{', headers: { 'content-type': 'application/json' } })).status,
      400,
    );
    t.equal((await gateway.get('/api/captcha?preset=none')).status, 422);
    t.equal((await gateway.get('/api/captcha/x.png')).status, 404);
  });

  await t.test('both services are alive and report the missing store', async (t) => {
    for (const [admin, checks] of [
      [site.challengeAdmin, { store: 'failed', images: 'ok' }],
      [site.sessionAdmin, { store: 'failed', challenge_store: 'failed', directory: 'ok' }],
    ] as const) {
      const ready = await admin.get('/health/ready');
      t.strictSame([ready.status, ready.json], [503, { status: 'failed', checks }]);
      t.equal((await admin.get('/health/live')).status, 200);
    }
  });

  await t.test('everything works again without a restart, with an empty script cache too', async (t) => {
    await redis.start();
    const startedMs = performance.now();
    for (const path of ['/api/captcha/pow', '/api/captcha']) {
      await repeatUntil(async () => (await gateway.get(path)).status === 200);
    }
    await repeatUntil(async () => (await site.refresh(cookie)).status !== 503);
    const tookMs = performance.now() - startedMs;
    t.ok(tookMs < RECOVERY_MS, `${Math.round(tookMs)} ms`);
    t.equal((await site.challengeAdmin.get('/health/ready')).status, 200);
    t.equal((await site.sessionAdmin.get('/health/ready')).status, 200);
    const again = await site.logIn(user);
    t.equal((await site.refresh(again.cookie)).status, 200);
    t.strictSame(await redis.client.keys('captcha:fail:*'), [], 'no failure from the outage stays recorded');
    t.equal((await site.refresh(cookie)).json.code, 'session_revoked', 'that Redis kept nothing');
  });

  await t.test('a hanging Redis counts as unavailable', async (t) => {
    const session = await site.logIn(user);
    const before = await site.work();
    await redis.client.call('CLIENT', 'PAUSE', '1200', 'ALL');
    const startedMs = performance.now();
    const [issued, refreshed, loggedIn] = await Promise.all([
      gateway.get('/api/captcha/pow'),
      site.refresh(session.cookie),
      gateway.post('/login', { body: { ...user, ...before } }),
    ]);
    for (const answer of [issued, refreshed, loggedIn]) away(t, answer, 'within half a second');
    t.ok(performance.now() - startedMs < 1_100);
    await repeatUntil(async () => (await gateway.get('/api/captcha/pow')).status === 200);
    t.equal((await site.refresh(session.cookie)).status, 200, 'no session was lost');
    t.equal((await site.logIn(user)).answer.status, 200);
  });

  await t.test('a frozen Redis delays any request by half a second at most', async (t) => {
    const session = await site.logIn(user);
    const bearer = { authorization: `Bearer ${session.accessToken}` };
    const drawn = await site.image();
    const works = await Promise.all(Array.from({ length: 20 }, () => site.work()));
    const requests = (): [string, string, object][] => [
      ['GET', '/api/captcha/pow', {}],
      ['GET', '/api/captcha', {}],
      ['GET', `/api/captcha/${drawn.captcha_token}.png`, {}],
      ['POST', '/login', { body: { ...user, ...works.pop() } }],
      ['POST', '/login', { body: { ...user, password: 'wrong password', ...works.pop() } }],
      ['POST', '/refresh', { headers: { cookie: session.cookie } }],
      ['DELETE', '/refresh', { headers: { cookie: session.cookie } }],
      ['POST', '/logout', { headers: { ...bearer, cookie: session.cookie } }],
      ['GET', '/sessions', { headers: bearer }],
      ['GET', '/profile', { headers: bearer }],
    ];
    let longestMs = 0;
    // The delay that a busy machine adds to a response, by the route that uses no Redis.
    let delayMs = 0;
    const sending: Promise<void>[] = [];
    const measured = async ([method, path, sent]: [string, string, object]) => {
      const startedMs = performance.now();
      const { status } = await gateway.send(method, path, sent);
      const tookMs = performance.now() - startedMs;
      if (path === '/profile') delayMs = Math.max(delayMs, tookMs);
      longestMs = Math.max(longestMs, tookMs);
      t.equal(status, path === '/profile' ? 200 : 503, `${method} ${path.slice(0, 16)}`);
    };
    redis.freeze();
    for (let round = 0; round < 10; round++) {
      sending.push(...requests().map(measured));
      await sleep(200);
    }
    await Promise.all(sending);
    redis.thaw();
    t.ok(longestMs - delayMs < 800, `${Math.round(longestMs)} ms, ${Math.round(delayMs)} without Redis`);
    await repeatUntil(async () => (await gateway.get('/api/captcha/pow')).status === 200);
    await repeatUntil(async () => (await site.tryLogIn(user)).status === 200);
  });

  await t.test(
    'a service starts without its store, and serves as soon as the store is available',
    async (t) => {
      const { cookie } = await site.logIn(user);
      await redis.stop();
      await Promise.all([site.restart('session-service', 503), site.restart('challenge-service', 503)]);
      away(t, await gateway.get('/api/captcha/pow'), 'booted');
      away(t, await site.refresh(cookie), 'booted');
      t.equal((await gateway.get('/profile', { headers: { authorization } })).status, 200);
      await redis.start();
      const startedMs = performance.now();
      await repeatUntil(async () => (await site.tryLogIn(user).catch(() => undefined))?.status === 200);
      t.ok(performance.now() - startedMs < RECOVERY_MS);
    },
  );
}

function away(t: Test, answer: Answer, hint: string): void {
  t.strictSame([answer.status, answer.json, answer.cookies], [503, refusal('store_unavailable'), []], hint);
  t.match(answer.headers, { 'retry-after': /^[1-9]\d*$/, 'cache-control': 'no-store' });
}

async function repeatUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

// A store filled with challenges by strangers returned 503 for everybody: existing sessions continue.
t.test('a Redis without memory left', (t) => onRedis(t, CHEAP, full));

async function full(t: Test, site: Site): Promise<void> {
  const { gateway, redis } = site;
  if (redis === undefined) throw new TypeError('requires Redis');
  const user = await site.newUser();
  const signedIn = await site.logIn(user);
  await site.tryLogIn({ email: user.email, password: 'wrong' });
  const scope = await site.scopeOf(user.email);
  const [work, wrongWork] = [await site.work({ scope }), await site.work({ scope })];
  const image = await site.image();
  const headers = { authorization: `Bearer ${signedIn.accessToken}` };

  await redis.client.config('SET', 'maxmemory', '1');
  for (const path of ['/api/captcha/pow', '/api/captcha', '/api/captcha?preset=effort']) {
    const { status, json, headers } = await gateway.get(path);
    t.strictSame([status, json.code, headers['retry-after']], [503, 'store_unavailable', '1'], path);
  }

  const wrong = await gateway.post('/login', {
    body: { ...user, password: 'wrong', ...wrongWork, ...image },
  });
  t.match(wrong, { status: 422, json: { code: 'login_failed', pow_scope: String } }, 'a check');
  const again = await gateway.post('/login', { body: { ...user, ...wrongWork, ...image } });
  t.match(again, { status: 422, json: { code: 'pow_invalid' } }, 'a spent challenge stays spent');
  const refreshed = await site.refresh(signedIn.cookie);
  t.equal(refreshed.status, 200, 'a refresh');
  t.equal((await gateway.get('/profile', { headers })).status, 200);
  t.equal((await gateway.get('/sessions', { headers })).status, 200);

  await redis.client.config('SET', 'maxmemory', '0');
  const picture = await site.image();
  await redis.client.config('SET', 'maxmemory', '1');
  const logIn = await gateway.post('/login', { body: { ...user, ...work, ...picture } });
  t.equal(logIn.status, 200, 'a login of a user with another session');
  t.equal((await gateway.post('/logout', { headers })).status, 204, 'a logout');
  t.equal((await site.refresh(refreshed.cookies[0]?.split(';')[0] ?? '')).json.code, 'session_revoked');

  await redis.client.config('SET', 'maxmemory', '0');
  t.equal((await gateway.get('/api/captcha/pow')).status, 200, 'with free memory everything works');
  await site.logIn(await site.newUser());
}

// A service with a clock off by an hour did not report it: its log and readiness do, until the clocks agree again.
t.test('the clock of a service and that of Redis', (t) => onStore(t, 'redis', CHEAP, clocks));

async function clocks(
  t: Test,
  { redis, sessionAdmin, challengeAdmin, moveClock, logs }: Site,
): Promise<void> {
  if (redis === undefined) throw new TypeError('requires Redis');
  const ready = async (admin: typeof sessionAdmin) => (await admin.get('/health/ready')).json;
  const warnings = async () => (await logs()).match(/the clocks of Redis and of this node are \d+ s apart/g);
  /** Clocks are compared every minute, and with each new connection. */
  const compareNow = () => redis.client.call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
  t.match(await ready(sessionAdmin), { status: 'ok' });

  for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
    await moveClock('session-service', aheadMs);
    await compareNow();
    const checks = { store: 'clock', challenge_store: 'clock', directory: 'ok' };
    await until(async () => (await ready(sessionAdmin)).checks?.store === 'clock', 'readiness shows it');
    t.strictSame(await ready(sessionAdmin), { status: 'degraded', checks });
    await until(async () => (await ready(challengeAdmin)).status === 'ok', 'the other service is well');
    await moveClock('session-service', 0);
    await compareNow();
    await until(async () => (await ready(sessionAdmin)).status === 'ok', 'the clocks agree');
  }
  t.strictSame(await warnings(), Array(2).fill('the clocks of Redis and of this node are 3600 s apart'));
  t.equal((await logs()).match(/the clocks of Redis and of this node agree again/g)?.length, 2);
}
