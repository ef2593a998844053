// Redeeming solved challenges for a receipt: by site, by page, once only.

import { sealTicket } from '@tollgate/shared/challenges';
import { findNonce } from '@tollgate/test-support/find-nonce.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import { encodeReceiptTail, parseReceiptRecord } from '../receipt-record.js';
import { IP, ORIGINS, OWN_ORIGIN, openSites } from './served-sites.js';

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });

t.test('solved work is exchanged for a receipt, once', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const sites = await openSites(t, store);
    const work = await sites.work('shop');
    const first = await sites.redeem('shop', work);
    t.equal(first.statusCode, 200);
    const { token, expires_in, expires_at, ...more } = first.json();
    t.match(token, /^[A-Za-z0-9]{40}\.[0-9]{13}\.[A-Za-z0-9_-]{22}$/);
    t.equal(expires_in, 300);
    t.match(expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    t.strictSame(more, {});
    const second = await sites.redeem('shop', work);
    t.match(
      { status: second.statusCode, body: second.json() },
      { status: 422, body: { code: 'pow_invalid' } },
    );
    t.match(await sites.verdict('shop', token), { success: true });
    t.match(
      sites.log(),
      /"event":"site_challenge_refused","site":"shop","code":"pow_invalid","reason":"spent"/,
    );
    t.match(
      await sites.metrics(),
      /tollgate_site_redemptions_total\{site="shop",outcome="redeemed"\} 1\n.*outcome="pow_invalid"\} 1/,
    );
  });
});

t.test('50 parallel requests with one solution yield one receipt', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const sites = await openSites(t, store);
    const work = await sites.work('shop');
    const answers = await Promise.all(Array.from({ length: 50 }, () => sites.redeem('shop', work)));
    t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
  });
});

t.test('work and images bound to an address are redeemed only from that address', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const options = { image: 'always' } as const;
    const sites = await openSites(t, store, {
      options,
      env: { CAPTCHA_BIND_IP: 'true', CAPTCHA_MIN_SECONDS: '0' },
    });
    const [url, headers] = ['/api/captcha/sites/shop', { origin: ORIGINS.shop }];
    const statusOf = async (from: string, to: string) => {
      const work = (await sites.inject({ url: `${url}/pow`, remoteAddress: from })).json();
      const image = (await sites.inject({ url, remoteAddress: from })).json();
      const payload = {
        pow_token: work.token,
        pow_nonce: findNonce(work.salt, work.difficulty),
        captcha_token: image.token,
        captcha: image.answer,
      };
      const request = { method: 'POST', url: `${url}/redeem`, headers, payload } as const;
      return (await sites.inject({ ...request, remoteAddress: to })).statusCode;
    };
    for (const address of ['203.0.113.7', '2001:db8::7', '::ffff:203.0.113.7']) {
      t.equal(await statusOf(address, address), 200, address);
      t.equal(await statusOf(address, '2001:db8:1::7'), 422, address);
    }
    t.equal(await statusOf('2001:db8::7', '2001:db8::8'), 200, 'the same /64');
  });
});

t.test('wrong work yields no receipt and is spent', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const wrong = await sites.work('shop', false);
  t.match((await sites.redeem('shop', wrong)).json(), {
    code: 'pow_invalid',
    errors: { pow_nonce: [String] },
  });
  const malformed = await sites.work('shop');
  t.match((await sites.redeem('shop', { ...malformed, pow_nonce: 'x' })).json(), { code: 'pow_invalid' });
  t.match((await sites.redeem('shop', { pow_token: malformed.pow_token })).json(), { code: 'pow_invalid' });
  const events = sites.log().match(/"event":"site_challenge_refused".*/g) ?? [];
  t.equal(events.length, 1, 'only the wrong work looks like an attack');
  t.equal((await sites.redeem('shop', malformed)).statusCode, 200, 'a malformed nonce spends nothing');
});

t.test('wrong work and a wrong image store no receipt, and count as failed work', async (t) => {
  const { store, redis } = await redisStore(t);
  const sites = await openSites(t, store, { options: { image: 'always' } });
  const receipts = async () =>
    (await redis.client.keys('*')).filter((key: string) => key.includes(':receipt:')).length;
  const image = { captcha_token: 'A'.repeat(40), captcha: 'wrong' };
  for (const [isSolved, code] of [
    [false, 'pow_invalid'],
    [true, 'captcha_invalid'],
  ] as const) {
    const work = await sites.work('shop', isSolved);
    t.match((await sites.redeem('shop', { ...work, ...image })).json(), { code });
    t.equal(await receipts(), 0, code);
  }
  t.match(await sites.metrics(), 'tollgate_work_total{algorithm="sha256",outcome="refused"} 2');

  const easy = await openSites(t, store);
  await easy.receipt('shop');
  t.equal(await receipts(), 1);
  t.match(await easy.metrics(), 'tollgate_work_total{algorithm="sha256",outcome="verified"} 1');
});

t.test('the price rises even for a site whose minimum is the maximum of all others', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, {
    env: { CAPTCHA_POW_MAX_DIFFICULTY: '2', CAPTCHA_POW_VOLUME_STEP: '1', CAPTCHA_POW_VOLUME_EVERY: '1' },
    options: { difficulty: 2 },
  });
  const prices = async (path: string) => {
    const bits = [];
    for (let i = 0; i < 3; i++)
      bits.push((await sites.inject({ url: `/api/captcha${path}/pow` })).json().difficulty);
    return bits;
  };
  t.equal(Math.max(...(await prices('/sites/shop'))), 3);
  t.equal(Math.max(...(await prices(''))), 2);
});

t.test('a form ticket counts at the plain endpoint, but not on a site', async (t) => {
  const env = { CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256' };
  const sites = await openSites(t, embeddedStore(t).store, { env, options: { image: 'always' } });
  const demand = { bits: 0, algorithms: ['hashwx-1'], preset: null };
  const ticket = sealTicket(sites.app.issuer.ring.current, undefined, Date.now() + 60_000, demand);
  const algorithm = async (path: string) => {
    const query = `preset=effort&algorithms=sha256,hashwx-1&scope=${ticket}`;
    const response = await sites.inject({ url: `/api/captcha${path}?${query}` });
    return response.json().algorithm;
  };
  t.equal(await algorithm(''), 'hashwx-1');
  t.equal(await algorithm('/sites/shop'), 'sha256');
});

t.test('work is valid for its own site only and is not spent elsewhere', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const ofShop = await sites.work('shop');
  const plain = await sites.work(null);
  t.equal((await sites.redeem('forum', ofShop)).statusCode, 422);
  t.equal((await sites.redeem('shop', plain)).statusCode, 422);
  t.equal((await sites.redeem('shop', ofShop)).statusCode, 200);
});

t.test('only pages on the listed host names can redeem, and a rejected page spends nothing', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const work = await sites.work('shop');
  const origins = [
    undefined,
    'null',
    ORIGINS.forum,
    'https://shop.example.evil',
    'https://shop.example/',
    '',
  ];
  for (const origin of origins) {
    const response = await sites.redeem('shop', work, origin === undefined ? {} : { origin });
    t.match(
      { status: response.statusCode, ...response.json() },
      { status: 403, code: 'hostname_not_allowed' },
    );
  }
  const framed = (origin?: unknown) => sites.redeem('shop', { ...work, origin }, { origin: OWN_ORIGIN });
  for (const origin of [undefined, 'null', ORIGINS.forum, OWN_ORIGIN, `${ORIGINS.shop}/path`])
    t.equal((await framed(origin)).statusCode, 403, `framed by ${origin}`);
  t.equal(
    (await sites.redeem('shop', { ...work, origin: ORIGINS.shop }, { origin: ORIGINS.forum })).statusCode,
    403,
    'a page cannot say that it is another',
  );
  const inFrame = await framed('https://www.shop.example:8443');
  t.equal(inFrame.statusCode, 200);
  t.match(await sites.verdict('shop', inFrame.json().token), { success: true, hostname: 'www.shop.example' });
});

t.test("a page on the service's own origin redeems like any page of a listed host", async (t) => {
  const { hostname } = new URL(OWN_ORIGIN);
  const sites = await openSites(t, embeddedStore(t).store, { options: { hostnames: [hostname] } });
  const redeem = async (origin?: string) =>
    sites.redeem('shop', { ...(await sites.work('shop')), origin }, { origin: OWN_ORIGIN });
  const redeemed = await redeem();
  t.equal(redeemed.statusCode, 200);
  t.match(await sites.verdict('shop', redeemed.json().token), { success: true, hostname });
  t.equal((await redeem('null')).statusCode, 403, 'the frame in a page without an origin');
});

t.test('an unknown site is 404, and so is every path without sites', async (t) => {
  const { store } = embeddedStore(t);
  const sites = await openSites(t, store);
  for (const url of ['/api/captcha/sites/nobody/pow', '/api/captcha/sites/nobody', '/api/captcha/sites/shop'])
    t.match((await sites.inject({ url })).json(), { code: 'not_found' }, url);
  const missing = await sites.inject({
    method: 'POST',
    url: '/api/captcha/sites/__proto__/redeem',
    headers: { origin: ORIGINS.shop },
    payload: {},
  });
  t.equal(missing.statusCode, 404);

  const { openNode } = await import('../../../test/challenge-node.js');
  const node = await openNode(t, store);
  for (const [method, path] of [
    ['GET', '/sites/shop/pow'],
    ['GET', '/sites/shop'],
    ['POST', '/sites/shop/redeem'],
    ['POST', '/siteverify'],
    ['POST', '/api/siteverify'],
    ['POST', '/recaptcha/api/siteverify'],
    ['POST', '/turnstile/v0/siteverify'],
  ] as const) {
    for (const other of [method, 'PUT'] as const) {
      const response = await node.inject({ method: other, url: `/api/captcha${path}`, payload: {} });
      t.match({ status: response.statusCode, ...response.json() }, { status: 404, code: 'not_found' }, path);
    }
  }
});

t.test('page fields have length limits, and a malformed body spends nothing', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const work = await sites.work('shop');
  for (const fields of [
    { action: 'a'.repeat(101) },
    { action: 'a b' },
    { cdata: 'c'.repeat(256) },
    { cdata: 'a/b' },
    { api: 'other' },
    { origin: 1 },
  ])
    t.match((await sites.redeem('shop', { ...work, ...fields })).json(), { code: 'validation_failed' });
  const token = await sites.receipt('shop', { action: 'a'.repeat(100), cdata: 'c'.repeat(255) });
  t.match(await sites.verdict('shop', token), { action: 'a'.repeat(100), cdata: 'c'.repeat(255) });
  t.equal((await sites.redeem('shop', { ...work, api: '', action: '', cdata: '' })).statusCode, 200);
});

t.test('each site has its own price, limits and counters', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, {
    env: {
      RATE_LIMIT_POW: '4',
      RATE_LIMIT_REDEEM: '2',
      CAPTCHA_POW_VOLUME_STEP: '1',
      CAPTCHA_POW_VOLUME_EVERY: '2',
    },
  });
  const prices = async (path: string) => {
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await sites.inject({ url: `/api/captcha${path}/pow` }));
    return answers.map((answer) => answer.json().difficulty ?? answer.statusCode);
  };
  const rising = [1, 2, 2, 3, 429];
  t.strictSame(await prices('/sites/shop'), rising);
  t.strictSame(await prices('/sites/forum'), rising, 'another site begins anew');
  t.strictSame(await prices(''), rising, 'and so does the plain endpoint');

  const statuses = [];
  for (const site of ['shop', 'shop', 'shop', 'forum'] as const) {
    statuses.push((await sites.redeem(site, {})).statusCode);
  }
  t.strictSame(statuses, [422, 422, 429, 422]);
  const refused = await sites.redeem('shop', {});
  t.match(refused.headers, {
    'retry-after': /^\d+$/,
    'ratelimit-limit': /^2$/,
    'ratelimit-remaining': /^0$/,
  });
  t.match(await sites.metrics(), 'tollgate_site_challenges_issued_total{site="forum",challenge="pow"} 4');
});

t.test('only pages of the site may call its paths, from their origin and without credentials', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store);
  const asked = async (url: string, origin: string, method: 'GET' | 'OPTIONS' = 'GET') => {
    const { headers } = await sites.inject({
      method,
      url: `/api/captcha${url}`,
      headers: { origin, ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}) },
    });
    return [
      headers['access-control-allow-origin'],
      headers['access-control-allow-credentials'],
      headers.vary,
    ];
  };
  t.strictSame(await asked('/sites/shop/pow', ORIGINS.shop), [ORIGINS.shop, undefined, 'Origin']);
  t.strictSame(await asked('/sites/shop/pow?algorithms=sha256', 'https://a.shop.example:1'), [
    'https://a.shop.example:1',
    undefined,
    'Origin',
  ]);
  t.strictSame(await asked('/sites/shop/redeem', ORIGINS.shop, 'OPTIONS'), [
    ORIGINS.shop,
    undefined,
    'Origin',
  ]);
  t.strictSame(await asked('/sites/shop/pow', ORIGINS.forum), [undefined, undefined, 'Origin']);
  t.strictSame(await asked('/sites/forum/pow', ORIGINS.shop), [undefined, undefined, 'Origin']);
  t.strictSame(await asked('/pow', ORIGINS.shop), [undefined, 'true', 'Origin']);
  t.strictSame(await asked('/pow', OWN_ORIGIN), [OWN_ORIGIN, 'true', 'Origin']);
  t.strictSame(await asked('/siteverify', ORIGINS.shop, 'OPTIONS'), [undefined, 'true', 'Origin']);
});

t.test('a site that requires an image redeems work only with the image answer', async (t) => {
  const env = { CAPTCHA_MIN_SECONDS: '0' };
  const sites = await openSites(t, embeddedStore(t).store, { env, options: { image: 'always' } });
  const image = async (path: string) => {
    const { token, answer, url } = (await sites.inject({ url: `/api/captcha${path}` })).json();
    return { url, fields: { captcha_token: token, captcha: answer } };
  };
  const work = await sites.work('shop');
  t.match((await sites.redeem('shop', work)).json(), { code: 'captcha_required' });
  const { url, fields } = await image('/sites/shop');
  t.equal(url, `${OWN_ORIGIN}/api/captcha/sites/shop/${fields.captcha_token}.png`);
  t.match((await sites.redeem('shop', { ...work, captcha_token: 'x' })).json(), { code: 'captcha_invalid' });
  t.equal((await sites.redeem('shop', { ...work, ...fields })).statusCode, 200, 'nothing was spent so far');

  const again = await sites.work('shop');
  t.match((await sites.redeem('shop', { ...again, ...fields })).json(), { code: 'captcha_invalid' }, 'spent');
  const plain = await image('');
  const third = await sites.work('shop');
  t.match((await sites.redeem('shop', { ...third, ...plain.fields })).json(), { code: 'captcha_invalid' });
  const wrongWork = await sites.work('shop', false);
  const kept = await image('/sites/shop');
  t.match((await sites.redeem('shop', { ...wrongWork, ...kept.fields })).json(), { code: 'pow_invalid' });
  const right = { ...(await sites.work('shop')), ...kept.fields };
  t.equal((await sites.redeem('shop', right)).statusCode, 200, 'failing work does not spend the image');
  t.match(
    (await sites.inject({ url: new URL(url).pathname })).json(),
    { code: 'not_found' },
    'spent images are gone',
  );
});

t.test("effort can replace a site's image", async (t) => {
  const { findNonce } = await import('@tollgate/test-support/find-nonce.js');
  const env = { CAPTCHA_MIN_SECONDS: '0' };
  const sites = await openSites(t, embeddedStore(t).store, { env, options: { image: 'always' } });
  const effort = (await sites.inject({ url: '/api/captcha/sites/shop?preset=effort' })).json();
  const nonces = Array.from({ length: effort.parts }, (_, part) =>
    findNonce(`${effort.salt}${String(part).padStart(2, '0')}`, effort.part_difficulty),
  );
  const fields = { captcha_token: effort.token, captcha: nonces.join('.') };
  const response = await sites.redeem('shop', { ...(await sites.work('shop')), ...fields });
  t.equal(response.statusCode, 200, response.body);
  t.match(await sites.metrics(), 'tollgate_site_challenges_issued_total{site="shop",challenge="effort"} 1');
});

t.test('with bound addresses, work is redeemed only from the address that requested it', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, {
    env: { CAPTCHA_BIND_IP: 'true', CAPTCHA_MIN_SECONDS: '0' },
  });
  const send = async (remoteAddress: string) => {
    const request = { headers: { origin: ORIGINS.shop }, payload: await sites.work('shop') };
    return sites.inject({ method: 'POST', url: '/api/captcha/sites/shop/redeem', remoteAddress, ...request });
  };
  t.equal((await send('203.0.113.8')).statusCode, 422);
  t.equal((await send(IP)).statusCode, 200);
});

// The encoding of a receipt record.

const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
const address = fc.option(hex(32));

const receipt = fc.record({
  keyId: hex(8),
  address,
  api: fc.option(fc.constantFrom('recaptcha' as const, 'hcaptcha' as const, 'turnstile' as const)),
  hostname: fc.stringMatching(/^[a-z0-9.:[\]-]{1,60}$/),
  action: fc.stringMatching(/^[A-Za-z0-9_/-]{0,100}$/),
  cdata: fc.stringMatching(/^[A-Za-z0-9_-]{0,255}$/),
});

t.test('a receipt survives encoding and decoding, and other texts are rejected', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(receipt, time, (part, redeemedAtMs) => {
        const read = parseReceiptRecord(`${redeemedAtMs} ${encodeReceiptTail(part)}`);
        return (
          read !== null && JSON.stringify({ ...part, ...read }) === JSON.stringify({ ...part, redeemedAtMs })
        );
      }),
    ),
  );
  const good = `1 01954fbf - - shop.example  `;
  t.not(parseReceiptRecord(good), null);
  for (const line of [
    '',
    'x',
    good.trimEnd(),
    `${good} `,
    `!claim 5 ${good}`,
    good.replace('- -', '- other'),
  ])
    t.equal(parseReceiptRecord(line), null, line);
});
