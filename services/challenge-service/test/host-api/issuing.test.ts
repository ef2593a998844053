// Issuing, with a ticket and without: the price of work and effort, its raised minimum, and the requirements of a form.

import { openTicket } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { type HostApi, IP, openHostApi } from './host-api-server.js';

const KEY = 'someone@example.com';
const DEFAULT_PRICE = { CAPTCHA_POW_DIFFICULTY: '16', CAPTCHA_TEST_MODE: 'false' };
const BOTH = { CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256', CAPTCHA_POW_DIFFICULTY: '4' };

async function ask({ app }: HostApi, path: string) {
  const response = await app.inject({ url: `/api/captcha${path}`, remoteAddress: IP });
  return { status: response.statusCode, headers: response.headers, json: response.json() };
}

const challengeOf = async (api: HostApi, path: string) => (await ask(api, path)).json;

// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
function solved(challenge: any) {
  const { token, algorithm, salt, difficulty } = challenge;
  const nonce = algorithm === 'sha256' ? findNonce(salt, difficulty) : findHashwxNumbers(challenge);
  return { pow_token: token, pow_nonce: nonce };
}

// The price of work and effort, and the response for effort.

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

// The price while load or an operator has raised its minimum.

t.test(
  'work costs the added bits, up to the maximum, and previously issued work remains valid',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      let raised = 0;
      const api = await openHostApi(t, store, { CAPTCHA_POW_MAX_DIFFICULTY: '9' }, [], () => raised);
      const [before, kept] = [await challengeOf(api, '/pow'), await challengeOf(api, '/pow')];
      t.equal(before.difficulty, 1);
      raised = 4;
      const dearer = await challengeOf(api, '/pow');
      t.equal(dearer.difficulty, 5);
      t.equal((await challengeOf(api, '/pow?min_difficulty=3')).difficulty, 5, 'a floor, not a surcharge');
      t.equal((await challengeOf(api, '/pow?min_difficulty=7')).difficulty, 7);
      t.match((await api.verify({ ...solved(before), key: KEY, ip: IP })).json, { success: true });
      t.match((await api.verify({ ...solved(dearer), key: KEY, ip: IP })).json, { success: true });
      raised = 100;
      t.equal((await challengeOf(api, '/pow')).difficulty, 9);
      t.match((await api.verify({ ...solved(kept), key: KEY, ip: IP })).json, { success: true });
    });
  },
);

t.test('account failures are added to it, and a client without a ticket can pass', async (t) => {
  const { store } = embeddedStore(t);
  let raised = 0;
  const variables = { CAPTCHA_ESCALATION_AFTER: '100' };
  const api = await openHostApi(t, store, variables, [], () => raised);
  const early = await challengeOf(api, '/pow');
  const wrong = await api.verify({
    ...solved(await challengeOf(api, '/pow')),
    key: KEY,
    ip: IP,
    count: true,
  });
  const scope = wrong.json.pow_scope;
  const ticketed = await challengeOf(api, `/pow?scope=${scope}`);
  t.equal(ticketed.difficulty, 3);
  raised = 2;
  t.equal((await challengeOf(api, `/pow?scope=${scope}`)).difficulty, 5);
  t.match((await api.verify({ ...solved(ticketed), key: KEY, ip: IP })).json, { success: true });
  const { json } = await api.verify({ ...solved(early), key: KEY, ip: IP });
  t.match(json, { code: 'pow_insufficient' }, 'what the account demands is still demanded');
  t.match((await api.verify({ ...solved(await challengeOf(api, '/pow')), key: KEY, ip: IP })).json, {
    success: true,
  });
});

t.test('the price of effort rises too', async (t) => {
  const { store } = embeddedStore(t);
  let raised = 0;
  const api = await openHostApi(t, store, { CAPTCHA_POW_DIFFICULTY: '20' }, [], () => raised);
  const { part_difficulty: usual } = await challengeOf(api, '?preset=effort');
  raised = 3;
  t.equal((await challengeOf(api, '?preset=effort')).part_difficulty, usual + 3);
});

// Form requirements: enforced, and carried by the ticket of a rejection.

t.test(
  "after one rejection the work for its ticket passes, regardless of the form's requirements",
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const api = await openHostApi(t, store, BOTH);
      const form = { at_least: 11, algorithms: ['hashwx-1'], ip: IP };
      for (const demands of [form, { ...form, key: 'someone' }]) {
        const { json: refused } = await api.verify({ ...solved(await challengeOf(api, '/pow')), ...demands });
        t.match(refused, {
          code: 'pow_insufficient',
          pow_min_difficulty: 11,
          pow_algorithms: ['hashwx-1'],
          pow_scope: /^[\w-]{82}$/,
        });
        const asked = `/pow?algorithms=sha256,hashwx-1&scope=${refused.pow_scope}`;
        const next = await challengeOf(api, asked);
        t.match(next, { difficulty: 11, algorithm: 'hashwx-1' }, 'the demand goes before the preference');
        t.match((await api.verify({ ...solved(next), ...demands })).json, { success: true });
        t.match(await challengeOf(api, `/pow?scope=${refused.pow_scope}`), {
          difficulty: 11,
          algorithm: 'sha256',
        });
        t.match(
          await challengeOf(api, '/pow'),
          { difficulty: 11 },
          'without a ticket the work costs the same',
        );
        await api.call('DELETE', '/host/failures', { key: 'someone', ip: IP });
      }
    });
  },
);

t.test("requests from an address raise the price, but not the form's requirements", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const volume = { CAPTCHA_POW_VOLUME_EVERY: '2', CAPTCHA_POW_VOLUME_STEP: '1' };
    const api = await openHostApi(t, store, { ...BOTH, ...volume });
    const { pow_scope: ticket } = (await api.verify({ at_least: 6 })).json;
    const paths = [`/pow?scope=${ticket}`, '/pow?min_difficulty=6', '/pow?min_difficulty=6', '/pow'];
    const bits = [];
    for (const path of [...paths, ...paths]) bits.push((await challengeOf(api, path)).difficulty);
    t.strictSame(bits, [6, 6, 6, 6, 6, 7, 7, 8]);
  });
});

t.test('the image for a ticket has the preset that the form requires', async (t) => {
  const { store } = await embeddedStore(t);
  const module = { CAPTCHA_ESCALATION_AFTER: '0' };
  const api = await openHostApi(t, store, module, [], () => 0, { large: { phrase: { length: 5 } } });
  const form = { key: 'someone', presets: ['effort', 'large'], ip: IP };
  const { json: refused } = await api.verify({ ...(await api.work()), ...form });
  t.match(refused, { code: 'captcha_required', captcha_presets: ['large'] });
  const [plain, named] = await Promise.all([
    challengeOf(api, `?scope=${refused.pow_scope}`),
    challengeOf(api, `?preset=default&scope=${refused.pow_scope}`),
  ]);
  t.strictSame([plain.answer.length, named.answer.length], [5, 5]);
  t.equal((await challengeOf(api, '')).answer.length, 6, 'without the ticket it is the default');
  const image = { captcha_token: plain.token, captcha: plain.answer };
  const work = await api.work(`?scope=${refused.pow_scope}`);
  t.match((await api.verify({ ...work, ...image, ...form })).json, { success: true });
});

t.test("an impossible requirement is the application's error", async (t) => {
  const { store } = await embeddedStore(t);
  const api = await openHostApi(t, store);
  const work = await api.work();
  for (const demand of [
    { at_least: 25 },
    { at_least: 0 },
    { algorithms: [] },
    { algorithms: ['md5'] },
    { algorithms: ['hashwx-1'] },
    { algorithms: 'sha256' },
  ]) {
    const { status, json } = await api.verify({ ...work, ...demand });
    t.match({ status, json }, { status: 422, json: { code: 'validation_failed' } }, JSON.stringify(demand));
  }
  t.match((await api.verify({ ...work, at_least: 1, algorithms: ['sha256'] })).json, { success: true });
  const higher = await api.verify({ ...(await api.work()), at_least: 2, min_difficulty: 3 });
  t.equal(higher.json.pow_min_difficulty, 3, 'of the two names the higher number counts');
});
