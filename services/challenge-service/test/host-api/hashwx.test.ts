// HashWX on both listeners: which clients get it, its price, and its solutions.

import { HASHWX_EXCHANGE, hashwxPartHashes } from '@tollgate/shared/pow';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { type HostApi, openHostApi } from './host-api-server.js';

const KEY = 'someone@example.com';
const BOTH = { CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256' };
const ASKED = '/pow?algorithms=hashwx-1,sha256';

async function ask({ app }: HostApi, path: string) {
  const response = await app.inject({ url: `/api/captcha${path}`, remoteAddress: '203.0.113.7' });
  return { status: response.statusCode, json: response.json() };
}

async function solve(api: HostApi, path = ASKED) {
  const { json } = await ask(api, path);
  return { pow_token: json.token as string, pow_nonce: findHashwxNumbers(json) };
}

const sha256Fields = ['algorithm', 'difficulty', 'expires_at', 'expires_in', 'salt', 'token'];

t.test('by default no client gets HashWX, and its solutions are malformed', async (t) => {
  const { store } = await embeddedStore(t);
  const api = await openHostApi(t, store);
  for (const path of ['/pow', ASKED, '/pow?algorithms=hashwx-1']) {
    const { json } = await ask(api, path);
    t.equal(json.algorithm, 'sha256');
    t.strictSame(Object.keys(json).sort(), sha256Fields);
  }
  const { json } = await ask(api, '/pow');
  const verdict = await api.verify({ pow_token: json.token, pow_nonce: '1.2.3.4' });
  t.match(verdict.json, { code: 'pow_invalid', errors: { pow_nonce: [/not valid|form|malformed/i] } });
  const right = { pow_token: json.token, pow_nonce: findNonce(json.salt, json.difficulty) };
  t.match((await api.verify(right)).json, { success: true }, 'and nothing was spent');
});

t.test('where HashWX is accepted, clients that request it get it, and others get SHA-256', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, {
      ...BOTH,
      CAPTCHA_TEST_MODE: 'false',
      CAPTCHA_POW_DIFFICULTY: '16',
    });
    const { status, json } = await ask(api, ASKED);
    t.equal(status, 200);
    t.strictSame(json, {
      token: json.token,
      salt: json.salt,
      difficulty: 16,
      algorithm: 'hashwx-1',
      parts: 4,
      part_hashes: Math.round(2 ** 16 / (4 * HASHWX_EXCHANGE)),
      nonces_per_function: 65_536,
      expires_in: 120,
      expires_at: json.expires_at,
    });
    t.match(json.salt, /^[0-9a-f]{64}$/);
    for (const path of [
      '/pow',
      '/pow?algorithms=',
      '/pow?algorithms=sha256,hashwx-1',
      '/pow?algorithms=md5',
    ]) {
      t.strictSame(Object.keys((await ask(api, path)).json).sort(), sha256Fields, path);
    }
    for (const path of [
      '/pow?algorithms=hashwx-1&algorithms=hashwx-1',
      '/pow?algorithms[]=hashwx-1',
      '/pow?algorithms=HASHWX-1',
      `/pow?algorithms=${'x,'.repeat(2000)}hashwx-1`,
      '/pow?algorithms=%00',
    ]) {
      t.match(await ask(api, path), { status: 200, json: { algorithm: 'sha256' } }, path.slice(0, 60));
    }
    t.equal((await ask(api, '/pow?algorithms=argon2,hashwx-1,sha256')).json.algorithm, 'hashwx-1');
  });
});

t.test('a solution passes once; a wrong one spends the challenge', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const api = await openHostApi(t, store, { ...BOTH, CAPTCHA_POW_DIFFICULTY: '13' });
    const work = await solve(api);
    t.match((await api.verify(work)).json, { success: true });
    t.match((await api.verify(work)).json, { success: false, code: 'pow_invalid' });

    // The search finds the smallest number of each part, so the number before it is no solution.
    let spent = await solve(api);
    while (spent.pow_nonce.endsWith('.0')) spent = await solve(api);
    const right = spent.pow_nonce.split('.');
    const wrong = right.with(3, String(Number(right[3]) - 1)).join('.');
    t.match((await api.verify({ ...spent, pow_nonce: wrong })).json, { code: 'pow_invalid' });
    t.match((await api.verify(spent)).json, { code: 'pow_invalid' });
  });
});

t.test('each algorithm accepts only its own solutions', async (t) => {
  const { store } = await embeddedStore(t);
  const api = await openHostApi(t, store, BOTH);
  const hashwx = (await ask(api, ASKED)).json;
  const nonce = findNonce(hashwx.salt, hashwx.difficulty);
  t.match((await api.verify({ pow_token: hashwx.token, pow_nonce: nonce })).json, { code: 'pow_invalid' });
  const sha256 = (await ask(api, '/pow')).json;
  for (let i = 0; i < 20; i++) {
    // With one bit, every second text would pass as a nonce.
    const { json } = await ask(api, '/pow');
    const verdict = await api.verify({ pow_token: json.token, pow_nonce: `${i}.2.3.4` });
    if (verdict.json.code !== 'pow_invalid') t.fail('four numbers solved a challenge of SHA-256');
  }
  t.match((await api.verify({ pow_token: sha256.token, pow_nonce: findNonce(sha256.salt, 1) })).json, {
    success: true,
  });
});

t.test(
  'both algorithms share one price: failures and tickets raise it, and verification uses it',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const api = await openHostApi(t, store, { ...BOTH, CAPTCHA_POW_DIFFICULTY: '8' });
      const early = await solve(api);
      const { json: failed } = await api.call('POST', '/host/failures', { key: KEY });
      const late = await api.verify({ ...early, key: KEY });
      t.match(late.json, { success: false, code: 'pow_insufficient' });
      const priced = (await ask(api, `${ASKED}&scope=${failed.pow_scope}`)).json;
      t.match(priced, { difficulty: 10, part_hashes: hashwxPartHashes(10, HASHWX_EXCHANGE) });
      const right = { pow_token: priced.token, pow_nonce: findHashwxNumbers(priced) };
      t.match((await api.verify({ ...right, key: KEY })).json, { success: true });

      const cheap = await solve(api);
      t.match((await api.verify({ ...cheap, min_difficulty: 14 })).json, {
        code: 'pow_insufficient',
        pow_min_difficulty: 14,
      });
      const asked = await solve(api, `${ASKED}&min_difficulty=14`);
      t.match((await api.verify({ ...asked, min_difficulty: 14 })).json, { success: true });
    });
  },
);

t.test(
  'the exchange rate and the nonces per function are options, and a record keeps its own values',
  async (t) => {
    const { store } = await embeddedStore(t);
    const options = {
      CAPTCHA_POW_ALGORITHMS: 'sha256,hashwx-1=10',
      CAPTCHA_POW_NONCES_PER_FUNCTION: '512',
      CAPTCHA_POW_DIFFICULTY: '15',
    };
    const api = await openHostApi(t, store, options);
    const { json } = await ask(api, ASKED);
    t.match(json, { part_hashes: Math.round(2 ** 15 / 40), nonces_per_function: 512 });
    const work = { pow_token: json.token, pow_nonce: findHashwxNumbers(json) };
    const other = await openHostApi(t, store, { ...BOTH, CAPTCHA_POW_DIFFICULTY: '15' });
    t.match((await other.verify(work)).json, { success: true });
  },
);

t.test('effort can be solved in HashWX', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const options = { CAPTCHA_POW_ALGORITHMS: 'sha256,hashwx-1=1000', CAPTCHA_POW_DIFFICULTY: '16' };
    const api = await openHostApi(t, store, { ...options, CAPTCHA_TEST_MODE: 'false' });
    const { json } = await ask(api, '?preset=effort&algorithms=hashwx-1,sha256');
    t.strictSame(json, {
      token: json.token,
      salt: json.salt,
      parts: 4,
      part_difficulty: 20,
      part_hashes: Math.round(2 ** 22 / 4000),
      nonces_per_function: 65_536,
      algorithm: 'hashwx-1',
      expires_in: 120,
      expires_at: json.expires_at,
    });
    t.equal((await ask(api, '?preset=effort')).json.algorithm, 'sha256');
    const answer = { captcha_token: json.token, captcha: findHashwxNumbers(json) };
    const check = { pow: false, image: 'required', presets: ['effort'] };
    t.match((await api.verify({ ...answer, ...check })).json, { success: true });
    t.match((await api.verify({ ...answer, ...check })).json, { code: 'captcha_invalid' });

    const wrong = (await ask(api, '?preset=effort&algorithms=hashwx-1')).json;
    for (const captcha of ['1.2.3.4', '1.2.3', 'x']) {
      const { json } = await api.verify({ captcha_token: wrong.token, captcha, ...check });
      t.match(json, { code: 'captcha_invalid' });
    }
  });
});

t.test('of 10,000 mutated solutions none causes a server error, and no wrong one passes', async (t) => {
  const { store } = await embeddedStore(t);
  const api = await openHostApi(t, store, { ...BOTH, CAPTCHA_POW_DIFFICULTY: '16' });
  const { json: known } = await ask(api, ASKED);
  const solution = findHashwxNumbers(known);
  const alphabet = '0123456789..-+eExX \t\n\u0000é١☃"\\{}[],';
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 48_271) + 11) >>> 0;
    return state % below;
  };
  const mutate = (text: string): string => {
    const at = random(text.length + 1);
    const character = alphabet[random(alphabet.length)] ?? '';
    return [
      () => text.slice(0, at) + character + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1),
      () => text.slice(0, at) + character + text.slice(at + 1),
      () => `${text}.${text}`,
      () => text.repeat(random(30)),
      () => text.split('.').toReversed().join('.'),
      () => [random(2 ** 31), 0, 2 ** 48 - 1 - random(9), 2 ** 48 + random(9)].join('.'),
      () =>
        text
          .split('.')
          .with(random(text.split('.').length), String(random(2 ** 31)))
          .join('.'),
    ][random(8)]!();
  };
  const values = [null, 0, 1.5, true, [], {}, [solution], { pow_nonce: solution }];
  const statuses = new Set<number>();
  let wellFormed = 0;
  for (let i = 0; i < 10_000; i++) {
    let pow_nonce: unknown = solution;
    for (let times = 1 + random(3); times > 0; times--) pow_nonce = mutate(String(pow_nonce));
    if (i % 50 === 0) pow_nonce = values[random(values.length)];
    if (pow_nonce === solution) continue;
    const isWellFormed = /^\d+(\.\d+){3}$|^\d+$/.test(String(pow_nonce)) && String(pow_nonce).length < 64;
    // An unspent challenge for possibly well-formed solutions: for a spent one nothing is hashed.
    const token = isWellFormed ? (await ask(api, ASKED)).json.token : known.token;
    if (isWellFormed) wellFormed++;
    const { status, json } = await api.verify({ pow_token: token, pow_nonce });
    statuses.add(status);
    if (status >= 500) t.fail(`${status}: ${JSON.stringify(pow_nonce)}`);
    if (json.success === true) t.fail(`passed: ${JSON.stringify(pow_nonce)}`);
  }
  t.strictSame([...statuses], [200]);
  t.ok(wellFormed > 500, `${wellFormed} of them were hashed`);
  t.match((await api.verify({ pow_token: known.token, pow_nonce: solution })).json, { success: true });
});
