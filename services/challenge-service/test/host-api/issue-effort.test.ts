// Issuing with a ticket: the price of work and effort, and the response for effort.

import { openTicket } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openHostApi } from './host-api-server.js';

const KEY = 'someone@example.com';

async function ask(api: Awaited<ReturnType<typeof openHostApi>>, path: string) {
  const response = await api.app.inject({ url: `/api/captcha${path}`, remoteAddress: '203.0.113.7' });
  return { status: response.statusCode, headers: response.headers, json: response.json() };
}

const DEFAULT_PRICE = { CAPTCHA_POW_DIFFICULTY: '16', CAPTCHA_TEST_MODE: 'false' };

t.test('effort is sixteen parts of work, without an image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, DEFAULT_PRICE);
    const { status, json } = await ask(api, '?preset=effort');
    t.equal(status, 200);
    t.strictSame(json, {
      token: json.token,
      salt: json.salt,
      parts: 16,
      part_difficulty: 18,
      algorithm: 'sha256',
      expires_in: 120,
      expires_at: json.expires_at,
    });
    t.match(json, {
      token: /^[A-Za-z0-9]{40}$/,
      salt: /^[0-9a-f]{32}$/,
      expires_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/,
    });
    t.equal((await ask(api, `/${json.token}.png`)).status, 404, 'its token has no image');
    t.strictSame(Object.keys((await ask(api, '')).json).sort(), ['expires_at', 'expires_in', 'token', 'url']);
  });
});

t.test('work and effort get harder with each account failure, and expire later', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, DEFAULT_PRICE);
    const seen = [];
    for (let failures = 1; failures <= 5; failures++) {
      const { json } = await api.call('POST', '/host/failures', { key: KEY });
      const work = await ask(api, `/pow?scope=${json.pow_scope}`);
      const effort = await ask(api, `?preset=effort&scope=${json.pow_scope}`);
      seen.push([
        work.json.difficulty,
        work.json.expires_in,
        effort.json.part_difficulty,
        effort.json.expires_in,
      ]);
    }
    t.strictSame(seen, [
      [18, 120, 18, 120],
      [20, 120, 20, 120],
      [22, 120, 22, 264],
      [24, 232, 24, 1053],
      [24, 232, 24, 1053],
    ]);
    t.equal((await ask(api, '/pow')).json.difficulty, 16);
  });
});

t.test('an invalid ticket is ignored for work and for effort, and is never an error', async (t) => {
  const { store, redis } = await redisStore(t);
  const api = await openHostApi(t, store, DEFAULT_PRICE);
  const { pow_scope: ticket } = (await api.call('POST', '/host/failures', { key: KEY })).json;
  const twisted = ticket.slice(0, -2) + (ticket.endsWith('A') ? 'BB' : 'AA');
  for (const query of [
    'scope=',
    'scope',
    'scope=forged',
    `scope=${ticket}&scope=${ticket}`,
    `scope=${twisted}`,
    `scope[]=${ticket}`,
    `scope=%00${ticket}`,
    `scope=${'a'.repeat(3000)}`,
  ]) {
    const commands = await redis.commands(async () => {
      const { status, json } = await ask(api, `/pow?${query}`);
      t.strictSame([status, json.difficulty], [200, 16], query.slice(0, 60));
    });
    t.equal(commands.length, 1, 'the store is not asked about it');
    t.equal((await ask(api, `?preset=effort&${query}`)).json.part_difficulty, 18);
  }
  const commands = await redis.commands(async () => {
    t.equal((await ask(api, `/pow?scope=${ticket}`)).json.difficulty, 18);
  });
  t.equal(commands.length, 2, 'with a valid ticket it is asked once more');
});

t.test('an old ticket is ignored', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, { ...DEFAULT_PRICE, CAPTCHA_ESCALATION_DECAY: '1' });
    const { pow_scope: ticket } = (await api.call('POST', '/host/failures', { key: KEY })).json;
    const ring = openKeyRing('challenge-secret-of-these-tests-01');
    const openAt = (ms: number) => openTicket(ring, ticket, Date.now() + ms);
    t.not(openAt(-1000), null);
    t.equal(openAt(2000), null, 'it lives as long as a failure is remembered');
  });
});

t.test('disabled effort is an unknown preset', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, { CAPTCHA_EFFORT_ENABLED: 'false' });
    const { status, json } = await ask(api, '?preset=effort');
    t.strictSame([status, json.code], [422, 'unknown_preset']);
    await api.call('POST', '/host/failures', { key: KEY });
    const { json: failure } = await api.call('POST', '/host/failures', { key: KEY });
    t.strictSame(Object.keys(failure).sort(), ['captcha_required', 'failures', 'pow_scope', 'try']);
  });
});

t.test('effort counts towards the image limit and reports it', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, { RATE_LIMIT_ISSUE: '2' });
    t.match((await ask(api, '?preset=effort')).headers, {
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
    });
    await ask(api, '');
    const refused = await ask(api, '?preset=effort');
    t.strictSame([refused.status, refused.json.code], [429, 'rate_limited']);
    t.match(refused.headers, { 'retry-after': String, 'ratelimit-remaining': '0' });
  });
});

t.test('without escalation tickets are neither issued nor read', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const escalating = await openHostApi(t, store, DEFAULT_PRICE);
    const { pow_scope: ticket } = (await escalating.call('POST', '/host/failures', { key: KEY })).json;
    const flat = await openHostApi(t, store, { ...DEFAULT_PRICE, CAPTCHA_POW_ESCALATE: 'false' });
    t.equal((await ask(flat, `/pow?scope=${ticket}`)).json.difficulty, 16);
    t.strictSame(Object.keys((await flat.call('POST', '/host/failures', { key: KEY })).json).sort(), [
      'captcha_alternatives',
      'captcha_required',
      'failures',
      'try',
    ]);
    t.equal((await flat.verify({ ...(await flat.work()), key: 'x' })).json.pow_scope, undefined);
  });
});
