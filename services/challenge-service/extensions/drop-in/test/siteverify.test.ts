// Receipt verification for a site's server: request formats, order of checks, responses.

import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import type { InjectOptions } from 'fastify';
import t from 'tap';
import { IP, openSites, SECRETS } from './served-sites.js';

const PATHS = ['/siteverify', '/api/siteverify', '/recaptcha/api/siteverify', '/turnstile/v0/siteverify'];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const refused = (...codes: string[]) => ({ success: false, 'error-codes': codes });

const multipart = (fields: Record<string, string>, file = '') => {
  const part = (name: string, value: string, filename = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n${value}\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => part(name, value));
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    payload: `${parts.join('')}${file === '' ? '' : part(file, 'x', '; filename="x"')}--b--\r\n`,
  };
};

t.test('every request format on every path gets the same response', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const shapes = {
    form: (fields: Record<string, string>) => ({
      headers: FORM,
      payload: String(new URLSearchParams(fields)),
    }),
    JSON: (fields: Record<string, string>) => ({
      headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
      payload: JSON.stringify(fields),
    }),
    multipart: (fields: Record<string, string>) => multipart(fields),
    query: (fields: Record<string, string>) => ({ query: fields }),
    GET: (fields: Record<string, string>) => ({ method: 'GET', query: fields }) as const,
    'form without a type': (fields: Record<string, string>) => ({
      payload: Buffer.from(String(new URLSearchParams(fields))),
    }),
    'form with a byte order mark': (fields: Record<string, string>) => ({
      headers: FORM,
      payload: `\ufeff${new URLSearchParams(fields)}`,
    }),
    'JSON with a byte order mark': (fields: Record<string, string>) => ({
      headers: { 'content-type': 'application/json' },
      payload: `\ufeff${JSON.stringify(fields)}`,
    }),
    'multipart with a byte order mark': (fields: Record<string, string>) => {
      const { headers, payload } = multipart(fields);
      return { headers, payload: `\ufeff${payload}` };
    },
    'a byte order mark alone': (fields: Record<string, string>) => ({
      headers: FORM,
      query: fields,
      payload: '\ufeff',
    }),
    'nulls for what is absent': (fields: Record<string, string>) => ({
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ remoteip: null, sitekey: null, idempotency_key: null, ...fields }),
    }),
    'the receipt in the body, the rest in the query': ({ response, ...fields }: Record<string, string>) => ({
      headers: FORM,
      query: fields,
      payload: String(new URLSearchParams({ response: response ?? '' })),
    }),
    'the body before the query': (fields: Record<string, string>) => ({
      headers: FORM,
      query: { secret: ['x', 'y'], response: 'x', sitekey: 'shop' },
      payload: String(new URLSearchParams(fields)),
    }),
    'null before the query': ({ response, ...fields }: Record<string, string>) => ({
      headers: { 'content-type': 'application/json' },
      query: { response: response ?? '' },
      payload: JSON.stringify({ ...fields, response: null }),
    }),
    'query beside an empty form': (fields: Record<string, string>) => ({ headers: FORM, query: fields }),
  };
  for (const [name, shape] of Object.entries(shapes)) {
    for (const path of PATHS) {
      const fields = { secret: SECRETS.shop, response: await sites.receipt('shop'), unknown: 'x' };
      const request: InjectOptions = { method: 'POST', url: `/api/captcha${path}`, ...shape(fields) };
      const good = await sites.inject(request);
      t.equal(good.statusCode, 200);
      t.match(good.headers['content-type'], /^application\/json/);
      t.match(good.json(), { success: true, hostname: 'shop.example' }, `${name} to ${path}`);
      t.strictSame((await sites.inject(request)).json(), refused('timeout-or-duplicate'));
    }
  }
});

t.test('an unreadable request is a bad request with status 200, and spends nothing', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const fields = { secret: SECRETS.shop, response: await sites.receipt('shop') };
  const text = String(new URLSearchParams(fields));
  const json = { 'content-type': 'application/json' };
  const requests = [
    { headers: json, payload: '{' },
    { headers: json, payload: '[]' },
    { headers: json, payload: 'null' },
    { headers: json, payload: JSON.stringify({ ...fields, response: 1 }) },
    { headers: json, payload: JSON.stringify({ ...fields, remoteip: 7 }) },
    { headers: json, payload: JSON.stringify(fields).replace('}', ',"secret":"x"}') },
    { headers: json, payload: JSON.stringify(fields).replace('}', ',"s\\u0065cret":"x"}') },
    { headers: FORM, payload: `${text}&response=x` },
    { headers: FORM, payload: `${text}&idempotency_key=${'k'.repeat(65)}` },
    { headers: FORM, payload: `${text}&filler=${'x'.repeat(17_000)}` },
    { headers: { 'content-type': 'text/plain' }, payload: text },
    { headers: { 'content-type': 'nonsense' }, payload: text },
    { headers: { 'content-type': 'multipart/form-data' }, payload: text },
    { ...multipart(fields), payload: 'nothing of that kind' },
    multipart({ secret: SECRETS.shop }, 'response'),
    { payload: JSON.stringify(fields), headers: { 'content-type': 'text/json' } },
    { headers: FORM, payload: `secret=${SECRETS.shop}`, query: { response: ['a', 'b'] } },
    { method: 'GET', query: { ...fields, response: ['a', 'b'] } },
    { query: { ...fields, response: ['a', 'b'] } },
  ];
  for (const request of requests as InjectOptions[]) {
    const response = await sites.inject({ method: 'POST', url: '/api/captcha/siteverify', ...request });
    t.equal(response.statusCode, 200);
    t.match(response.headers['content-type'], /^application\/json/);
    t.strictSame(response.json(), refused('bad-request'), JSON.stringify(request).slice(0, 120));
  }
  t.match((await sites.verify(fields)).json(), { success: true });
});

t.test('an empty body field is not replaced by its query parameter', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const receipt = await sites.receipt('shop');
  const answer = await sites.inject({
    method: 'POST',
    url: '/api/captcha/siteverify',
    headers: FORM,
    query: { response: receipt },
    payload: String(new URLSearchParams({ secret: SECRETS.shop, response: '' })),
  });
  t.strictSame(answer.json(), refused('missing-input-response'));
});

t.test('a HEAD request spends no receipt and counts for no limit', async (t) => {
  const { store, redis } = await redisStore(t);
  const env = { RATE_LIMIT_SITEVERIFY: '1' };
  const sites = await openSites(t, store, { env });
  const receipt = await sites.receipt('shop');
  const commands = await redis.commands(async () => {
    for (const path of PATHS) {
      for (const secret of [SECRETS.shop, 'x']) {
        const query = { secret, response: receipt };
        const head = await sites.inject({ method: 'HEAD', url: `/api/captcha${path}`, query });
        t.strictSame([head.statusCode, head.payload], [200, ''], path);
        t.match(head.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' });
      }
    }
  });
  t.strictSame(commands, []);
  t.notMatch(await sites.metrics(), /^tollgate_siteverify_requests_total\{/m);
  t.notMatch(sites.log(), 'site_secret_refused');
  t.match(await sites.verdict('shop', receipt), { success: true }, 'nor for the limit of the secret');
});

t.test('a GET query, which contains the secret, is never logged', async (t) => {
  const { store, redis } = await redisStore(t);
  const sites = await openSites(t, store);
  const receipt = await sites.receipt('shop');
  const query = { secret: SECRETS.shop, response: receipt, idempotency_key: 'k' };
  const get = (url: string, more: InjectOptions = {}) =>
    sites.inject({ method: 'GET', url: `/api/captcha${url}`, query, ...more });
  await redis.client.client('PAUSE', 700);
  t.strictSame((await get('/siteverify')).json(), refused('internal-error'));
  await until(async () => (await get('/siteverify')).json().success === true, 'the store answers again');
  await get('/siteverify', { query: { ...query, secret: `x${SECRETS.shop}` } });
  await get('/siteverify/');
  await get('/siteverify%');
  await get('/siteverify%zz');
  await get('/recaptcha/api/siteverify', { method: 'DELETE' });
  await get('/siteverify', { method: 'POST', headers: { 'content-type': '/' }, payload: 'x' });
  for (const hidden of [SECRETS.shop, receipt]) t.notOk(sites.log().includes(hidden));
  t.match(sites.log(), /"method":"GET","route":"\/api\/captcha\/siteverify","status":200/);
});

t.test("responses have the vendor's layout, because clients search their text", async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const texts = async (path: string, api: string | undefined) => {
    const receipt = await sites.receipt('shop', api === undefined ? {} : { api });
    const query = { secret: SECRETS.shop, response: receipt };
    const ask = async () => (await sites.inject({ url: `/api/captcha${path}`, query })).payload;
    return [(await ask()).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, 'TIME'), await ask()];
  };
  const lines = '{\n  "success": true,\n  "challenge_ts": "TIME",\n  "hostname": "shop.example"\n}';
  const refusedLines = '{\n  "success": false,\n  "error-codes": [\n    "timeout-or-duplicate"\n  ]\n}';
  const refusedCompact = '{"success":false,"error-codes":["timeout-or-duplicate"]}';
  for (const path of ['/recaptcha/api/siteverify', '/api/siteverify'])
    t.strictSame(await texts(path, 'recaptcha'), [lines, refusedLines], path);
  t.strictSame(await texts('/siteverify', 'recaptcha'), [lines, refusedCompact]);
  const start = '{"success":true,"challenge_ts":"TIME","hostname":"shop.example"';
  t.strictSame(await texts('/siteverify', 'hcaptcha'), [`${start},"credit":false}`, refusedCompact]);
  t.strictSame(await texts('/turnstile/v0/siteverify', 'turnstile'), [
    `${start},"error-codes":[],"action":"","cdata":""}`,
    refusedCompact,
  ]);
});

t.test('every missing field is named', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const codes = async (fields: Record<string, string>) => (await sites.verify(fields)).json();
  t.strictSame(await codes({}), refused('missing-input-response', 'missing-input-secret'));
  t.strictSame(
    await codes({ secret: '', response: '' }),
    refused('missing-input-response', 'missing-input-secret'),
  );
  t.strictSame(await codes({ secret: SECRETS.shop }), refused('missing-input-response'));
  t.strictSame(await codes({ response: 'x' }), refused('missing-input-secret'));
});

t.test(
  'wrong secrets, forged receipts and other sites spend nothing and send no store command',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const sites = await openSites(t, store);
    const receipt = await sites.receipt('shop');
    const ofForum = await sites.receipt('forum');
    const [token = '', expiry = '', mac = ''] = receipt.split('.');
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ secret: 'x' }, 'invalid-input-secret'],
      [{ secret: `${SECRETS.shop} ` }, 'invalid-input-secret'],
      [{ secret: SECRETS.forum }, 'invalid-input-response'],
      [{ response: ofForum }, 'invalid-input-response'],
      [{ response: token }, 'invalid-input-response'],
      [{ response: `${receipt} ` }, 'invalid-input-response'],
      [{ response: `${receipt}${'x'.repeat(3000)}` }, 'invalid-input-response'],
      [{ response: `${token}.${Number(expiry) + 1}.${mac}` }, 'invalid-input-response'],
      [
        { response: `${token}.${expiry}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'B' : 'A'}` },
        'invalid-input-response',
      ],
      [{ response: `${token}.${expiry}.${mac}=` }, 'invalid-input-response'],
      [{ sitekey: 'forum' }, 'sitekey-secret-mismatch'],
      [{ response: ofForum, sitekey: 'forum' }, 'sitekey-secret-mismatch'],
      [{ response: 'forged', sitekey: 'forum' }, 'invalid-input-response'],
    ];
    const commands = await redis.commands(async () => {
      for (const [fields, code] of cases) {
        const answer = await sites.verify({ secret: SECRETS.shop, response: receipt, ...fields });
        t.strictSame(answer.json(), refused(code), JSON.stringify(fields).slice(0, 100));
      }
    });
    t.strictSame(commands, []);
    t.match(await sites.verdict('shop', receipt, { sitekey: 'shop' }), { success: true });
    t.match(await sites.verdict('forum', ofForum), { success: true });
    t.match(sites.log(), /"event":"site_secret_refused"/);
    for (const secret of [...Object.values(SECRETS), receipt, token]) t.notOk(sites.log().includes(secret));
  },
);

t.test('issuing, redeeming and verifying take one store command each, and a dump is useless', async (t) => {
  const { store, redis } = await redisStore(t);
  const sites = await openSites(t, store);
  let work = await sites.work('shop');
  await sites.receipt('shop');
  await sites.verdict('shop', await sites.receipt('shop'));

  const issued = await redis.commands(async () => {
    work = await sites.work('shop');
  });
  t.equal(issued.length, 1, issued.join('\n'));
  let receipt = '';
  const redeemed = await redis.commands(async () => {
    receipt = (await sites.redeem('shop', { ...work, action: 'sign-in' })).json().token;
  });
  t.equal(redeemed.length, 1, redeemed.join('\n'));

  const dump: string[] = [];
  for (const key of await redis.client.keys('*')) dump.push(key, (await redis.client.get(key)) ?? '');
  const text = dump.join('\n');
  const [token = '', , mac = ''] = receipt.split('.');
  t.ok(text.includes(token.slice(2)), 'the record of the receipt is there');
  t.notOk(text.includes(mac), 'but not what makes it a receipt');
  for (const secret of [...Object.values(SECRETS), IP]) t.notOk(text.includes(secret));
  for (const forged of [token, `${token}.${Date.now() + 60_000}.${'A'.repeat(22)}`])
    t.strictSame(await sites.verdict('shop', forged), refused('invalid-input-response'));

  const verified = await redis.commands(async () => {
    t.match(await sites.verdict('shop', receipt), { success: true, action: 'sign-in' });
  });
  t.equal(verified.length, 1, verified.join('\n'));
  for (const key of await redis.client.keys('captcha:site:*')) t.ok((await redis.client.pttl(key)) > 0, key);
});

t.test('a receipt is valid once, even for 50 parallel servers', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const sites = await openSites(t, store);
    const receipt = await sites.receipt('shop');
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => sites.verdict('shop', receipt)));
    t.equal(verdicts.filter(({ success }) => success).length, 1);
  });
});

t.test('one idempotency key gets one response, another key does not', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const sites = await openSites(t, store);
    const receipt = await sites.receipt('shop');
    const key = { idempotency_key: '7e13b2c4-0d3c-4e5f-8b0a-1f2e3d4c5b6a' };
    const first = await sites.verdict('shop', receipt, key);
    t.match(first, { success: true });
    t.strictSame(await sites.verdict('shop', receipt, key), first);
    t.strictSame(await sites.verdict('shop', receipt), refused('timeout-or-duplicate'));
    t.strictSame(
      await sites.verdict('shop', receipt, { idempotency_key: 'another' }),
      refused('timeout-or-duplicate'),
    );
    const other = await sites.receipt('shop');
    t.match(await sites.verdict('shop', other, key), { success: true }, 'the key is that of one receipt');
  });
});

t.test('an expired receipt is rejected, by its own expiry and by that of its record', async (t) => {
  const { store, age } = embeddedStore(t);
  const sites = await openSites(t, store, { options: { receipt_seconds: 300 } });
  const receipt = await sites.receipt('shop');
  await age(299_000);
  const fresh = await sites.receipt('shop');
  await age(1000);
  t.strictSame(await sites.verdict('shop', receipt), refused('timeout-or-duplicate'));
  t.match(await sites.verdict('shop', fresh), { success: true });
});

t.test("the response has the format of the page's API", async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const answer = async (fields: object) => {
    const { challenge_ts, ...rest } = await sites.verdict('shop', await sites.receipt('shop', fields));
    t.match(challenge_ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    return rest;
  };
  const common = { success: true, hostname: 'shop.example' };
  t.strictSame(await answer({ api: 'recaptcha' }), common);
  t.strictSame(await answer({ api: 'recaptcha', action: 'pay', cdata: 'c' }), {
    ...common,
    score: 0.9,
    action: 'pay',
  });
  t.strictSame(await answer({ api: 'hcaptcha', action: 'pay' }), { ...common, credit: false });
  const open = { ...common, 'error-codes': [] };
  t.strictSame(await answer({ api: 'turnstile', action: 'pay', cdata: 'order-1' }), {
    ...open,
    action: 'pay',
    cdata: 'order-1',
  });
  t.strictSame(await answer({}), { ...open, action: '', cdata: '' });
});

t.test('with check_remoteip only the redeeming address is valid, for IPv6 its /64', async (t) => {
  const { store } = embeddedStore(t);
  const sites = await openSites(t, store, { options: { check_remoteip: true } });
  const verdict = async (remoteip: string | undefined, from = IP) => {
    const work = await sites.work('shop');
    const { token } = (
      await sites.inject({
        method: 'POST',
        url: '/api/captcha/sites/shop/redeem',
        remoteAddress: from,
        headers: { origin: 'https://shop.example' },
        payload: work,
      })
    ).json();
    return sites.verdict('shop', token, remoteip === undefined ? {} : { remoteip });
  };
  t.match(await verdict(IP), { success: true });
  t.match(await verdict('2001:db8::1', '2001:db8::ffff'), { success: true });
  for (const other of ['203.0.113.8', 'nonsense', undefined])
    t.strictSame(await verdict(other), refused('invalid-input-response'), other ?? 'none');
  const token = await sites.receipt('shop');
  const retried = (remoteip: string) => sites.verdict('shop', token, { remoteip, idempotency_key: 'one' });
  t.strictSame(await retried('203.0.113.8'), refused('invalid-input-response'));
  t.strictSame(await retried(IP), refused('timeout-or-duplicate'), 'another address is no retry');
  const free = await openSites(t, store);
  t.match(await free.verdict('shop', await free.receipt('shop'), { remoteip: 'nonsense' }), {
    success: true,
  });
});

t.test(
  'a secret over its limit gets a wait time, an unknown one by address, and others are unaffected',
  async (t) => {
    const sites = await openSites(t, embeddedStore(t).store, { env: { RATE_LIMIT_SITEVERIFY: '2' } });
    for (let i = 0; i < 5; i++)
      t.strictSame(
        await sites.verdict('shop', 'x'),
        refused('invalid-input-response'),
        'forged ones are free',
      );
    for (let i = 0; i < 2; i++)
      t.match(await sites.verdict('shop', await sites.receipt('shop')), { success: true });
    const receipt = await sites.receipt('shop');
    const limited = await sites.verify({ secret: SECRETS.shop, response: receipt });
    t.strictSame([limited.statusCode, limited.json()], [200, refused('internal-error')]);
    t.match(limited.headers['retry-after'], /^\d+$/);
    t.strictSame(await sites.verdict('forum', 'x'), refused('invalid-input-response'));

    const wrong = async () => (await sites.verify({ secret: 'x', response: 'x' })).json()['error-codes'][0];
    const answers = [];
    for (let i = 0; i < 61; i++) answers.push(await wrong());
    t.strictSame(new Set(answers.slice(0, 60)), new Set(['invalid-input-secret']));
    t.equal(answers.at(-1), 'internal-error');
    t.strictSame(
      await sites.verdict('forum', 'x'),
      refused('invalid-input-response'),
      'a right one still counts',
    );
  },
);

t.test('a replayed receipt uses up no limit and takes one store command', async (t) => {
  const { store, redis } = await redisStore(t);
  const sites = await openSites(t, store, { env: { RATE_LIMIT_SITEVERIFY: '4' } });
  const [spent, ofOthers, repeated, good] = [
    await sites.receipt('shop'),
    await sites.receipt('shop'),
    await sites.receipt('shop'),
    await sites.receipt('shop'),
  ];
  const other = await openSites(t, store);
  t.match(await other.verdict('shop', ofOthers), { success: true }, 'another process');
  const key = { idempotency_key: 'order-1' };
  const commands = await redis.commands(async () => {
    const first = await Promise.all(Array.from({ length: 20 }, () => sites.verdict('shop', spent)));
    t.equal(first.filter(({ success }) => success).length, 1);
    const answer = await sites.verdict('shop', repeated, key);
    t.match(answer, { success: true });
    for (let i = 0; i < 50; i++) {
      t.strictSame(await sites.verdict('shop', spent), refused('timeout-or-duplicate'));
      t.strictSame(await sites.verdict('shop', ofOthers), refused('timeout-or-duplicate'));
      t.strictSame(await sites.verdict('shop', repeated, key), answer, 'the same answer again');
      t.strictSame(await sites.verdict('shop', repeated), refused('timeout-or-duplicate'));
    }
  });
  t.equal(commands.length, 3, commands.join('\n'));
  t.match(await sites.verdict('shop', good), { success: true }, 'and a good one is good');
  const late = await sites.receipt('shop');
  t.strictSame(await sites.verdict('shop', late), refused('internal-error'), 'the limit holds');
  t.strictSame(await sites.verdict('shop', late), refused('internal-error'), 'which spends nothing');
  t.strictSame(await sites.verdict('shop', spent), refused('timeout-or-duplicate'), 'a spent one is spent');
  t.match(await other.verdict('shop', late), { success: true });
});

t.test("an address range's factor multiplies its limit of wrong secrets", async (t) => {
  const env = { RATE_LIMIT_RANGES: '203.0.113.0/24=2' };
  const sites = await openSites(t, embeddedStore(t).store, { env, level: 'error' });
  for (let i = 0; i < 120; i++) {
    const answer = (await sites.verify({ secret: 'x', response: 'x' })).json();
    if (i >= 60) t.strictSame(answer, refused('invalid-input-secret'));
  }
  t.strictSame((await sites.verify({ secret: 'x', response: 'x' })).json(), refused('internal-error'));
});

t.test('without the store, a receipt gets an internal error with status 200 and stays valid', async (t) => {
  const { store, redis } = await redisStore(t);
  const sites = await openSites(t, store);
  const receipt = await sites.receipt('shop');
  await redis.client.client('PAUSE', 1500);
  const response = await sites.verify({ secret: SECRETS.shop, response: receipt, idempotency_key: 'k' });
  t.strictSame([response.statusCode, response.json()], [200, refused('internal-error')]);
  t.equal(response.headers['retry-after'], '1');
  await until(
    async () => (await sites.verdict('shop', receipt, { idempotency_key: 'k' })).success === true,
    'the store answers again',
  );
});
