// Redis fails and returns: every request that requires it gets 503, loses nothing and works again without a restart.

import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { refusal } from './refusals.js';
import { CHEAP, onRedis, type Site } from './site.js';

const RECOVERY_MS = 1_500;

t.setTimeout(300_000);

t.test('an outage of Redis', (t) => onRedis(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
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
      await until(async () => (await gateway.get(path)).status === 200);
    }
    await until(async () => (await site.refresh(cookie)).status !== 503);
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
    await until(async () => (await gateway.get('/api/captcha/pow')).status === 200);
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
    await until(async () => (await gateway.get('/api/captcha/pow')).status === 200);
    await until(async () => (await site.tryLogIn(user)).status === 200);
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
      await until(async () => (await site.tryLogIn(user).catch(() => undefined))?.status === 200);
      t.ok(performance.now() - startedMs < RECOVERY_MS);
    },
  );
}

function away(t: Test, answer: Answer, hint: string): void {
  t.strictSame([answer.status, answer.json, answer.cookies], [503, refusal('store_unavailable'), []], hint);
  t.match(answer.headers, { 'retry-after': /^[1-9]\d*$/, 'cache-control': 'no-store' });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
