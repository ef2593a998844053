// Default configuration: format, price and rate limits of challenges.

import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { refusal, refusedUnproven } from './refusals.js';
import { onRedis, type Site } from './site.js';

const TOKEN = /^[A-Za-z0-9]{40}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
const MINUTE_MS = 61_000;

t.test('the defaults', (t) => onRedis(t, {}, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const { challenge, session, gateway } = site;
  const pow = (ip: string) => challenge.get('/api/captcha/pow', { ip });

  await t.test('a proof of work has exactly the fields of the specification', async (t) => {
    const answer = await gateway.get('/api/captcha/pow');
    t.equal(answer.status, 200);
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    t.strictSame(Object.keys(answer.json).sort(), [
      'algorithm',
      'difficulty',
      'expires_at',
      'expires_in',
      'salt',
      'token',
    ]);
    t.match(answer.json, { token: TOKEN, salt: /^[0-9a-f]{32}$/, expires_at: TIME });
    t.match(answer.json, { difficulty: 16, algorithm: 'sha256', expires_in: 120 });
    livesFor(t, answer, 120);
    t.equal(answer.headers['x-captcha-test-mode'], undefined);
    const again = (await gateway.get('/api/captcha/pow')).json;
    t.notSame([again.token, again.salt], [answer.json.token, answer.json.salt]);
  });

  await t.test('an image challenge has exactly the fields of the specification, and no answer', async (t) => {
    const answer = await gateway.get('/api/captcha');
    t.equal(answer.status, 200);
    t.strictSame(Object.keys(answer.json).sort(), ['expires_at', 'expires_in', 'token', 'url']);
    t.match(answer.json, { token: TOKEN, expires_in: 120, expires_at: TIME });
    t.equal(answer.json.url, `${site.system.address}/api/captcha/${answer.json.token}.png`);
    livesFor(t, answer, 120);
  });

  await t.test('a client that requests a hint gets the possible characters', async (t) => {
    const { json } = await gateway.get('/api/captcha?hint=1');
    t.strictSame(Object.keys(json).sort(), ['characters', 'expires_at', 'expires_in', 'token', 'url']);
    t.equal(json.characters, '23CDHPTX');
  });

  await t.test('the link of an image ignores every header of the request', async (t) => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    };
    const { json } = await challenge.get('/api/captcha', { headers });
    t.equal(json.url, `${site.system.address}/api/captcha/${json.token}.png`);
  });

  await t.test('16 bits of work are enough for a login through the gateway', async (t) => {
    const { answer } = await site.logIn(await site.newUser());
    t.strictSame(Object.keys(answer.json), ['accessToken', 'expiresIn']);
  });

  await t.test('the demo account exists', async (t) => {
    const { email = '', password = '' } = site.system.demo ?? {};
    t.equal((await site.tryLogIn({ email, password })).status, 200);
  });

  await t.test('an image is a PNG of one size, the same bytes 100 times and after a restart', async (t) => {
    const ip = site.newAddress();
    const { token } = (await challenge.get('/api/captcha', { ip })).json;
    const path = `/api/captcha/${token}.png`;
    const first = await challenge.get(path, { ip });
    t.equal(first.status, 200);
    t.match(first.headers, {
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-site',
      'content-length': String(first.bytes.length),
    });
    t.equal(first.bytes.subarray(1, 4).toString(), 'PNG');
    t.strictSame([first.bytes.readUInt32BE(16), first.bytes.readUInt32BE(20)], [480, 160]);

    const head = await challenge.send('HEAD', path, { ip });
    t.equal(head.status, 200);
    t.equal(head.bytes.length, 0);
    const named = ['content-type', 'cache-control', 'cross-origin-resource-policy'];
    for (const name of named) t.equal(head.headers[name], first.headers[name]);

    const fetched = await Promise.all(Array.from({ length: 100 }, () => challenge.get(path, { ip })));
    t.strictSame(
      new Set(fetched.map(({ status, bytes }) => `${status} ${hashOf(bytes)}`)),
      new Set([`200 ${hashOf(first.bytes)}`]),
    );
    await site.restart('challenge-service');
    t.equal(hashOf((await gateway.get(path)).bytes), hashOf(first.bytes));
  });

  await t.test('two images differ', async (t) => {
    const ip = site.newAddress();
    const draw = async () => {
      const { token } = (await challenge.get('/api/captcha', { ip })).json;
      return hashOf((await challenge.get(`/api/captcha/${token}.png`, { ip })).bytes);
    };
    t.not(await draw(), await draw());
  });

  await t.test('the price rises by two bits with every 20th request of an address', async (t) => {
    const ip = site.newAddress();
    const prices = [];
    for (let n = 1; n <= 60; n++) prices.push((await pow(ip)).json.difficulty);
    const expected = Array.from({ length: 60 }, (_, n) => 16 + 2 * Math.floor((n + 1) / 20));
    t.strictSame(prices, expected);
    t.equal((await pow(site.newAddress())).json.difficulty, 16, 'another address is not affected');

    const refused = await Promise.all(Array.from({ length: 25 }, () => pow(ip)));
    t.ok(refused.every(({ status }) => status === 429));
    await site.age(MINUTE_MS);
    t.equal((await pow(ip)).json.difficulty, 22, 'rejected requests have raised no price');

    for (let n = 62; n < 80; n++) await pow(ip);
    const dearest = await pow(ip);
    t.match(
      dearest.json,
      { difficulty: 24, expires_in: 232 },
      'the ceiling, with more time for slow devices',
    );
    livesFor(t, dearest, 232, site.kind === 'embedded' ? MINUTE_MS : 0);
    for (let n = 81; n < 100; n++) await pow(ip);
    t.equal((await pow(ip)).json.difficulty, 24, 'never above the ceiling');

    await site.age(900_000 - MINUTE_MS + 1_000);
    t.equal((await pow(ip)).json.difficulty, 16, 'forgotten 900 seconds after the first');
  });

  await t.test('work, images and their PNGs are limited to 60, 60 and 120 a minute', async (t) => {
    const owner = site.newAddress();
    const { token } = (await challenge.get('/api/captcha', { ip: owner })).json;
    const limits: [string, number][] = [
      ['/api/captcha/pow', 60],
      ['/api/captcha', 60],
      [`/api/captcha/${token}.png`, 120],
    ];
    for (const [path, limit] of limits) {
      const ip = site.newAddress();
      for (let n = 1; n <= limit; n++) {
        const { status, headers } = await challenge.get(path, { ip });
        if (status !== 200) t.fail(`request ${n} to ${path} returned ${status}`);
        if (n === 1 || n === limit) remains(t, headers, limit, limit - n);
      }
      limited(t, await challenge.get(path, { ip }), limit);
      t.equal((await challenge.get(path, { ip: site.newAddress() })).status, 200, 'other addresses are not');
    }
    await site.age(MINUTE_MS);
  });

  await t.test('a forged forwarded address changes nothing behind the gateway', async (t) => {
    const left = async (forged: string) => {
      const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };
      return Number((await gateway.get('/api/captcha/pow', { headers })).headers['ratelimit-remaining']);
    };
    const first = await left('203.0.113.1');
    t.equal(await left('203.0.113.2'), first - 1);
    t.equal(await left('127.0.0.1, 203.0.113.3'), first - 2);
  });

  await t.test(
    'addresses of one /64 count as one, and a mapped address counts as the IPv4 address',
    async (t) => {
      const left = async (ip: string) => Number((await pow(ip)).headers['ratelimit-remaining']);
      t.strictSame(
        [
          await left('2001:db8:7:7::1'),
          await left('2001:db8:7:7:ffff:ffff:ffff:ffff'),
          await left('2001:db8:7:8::1'),
          await left('203.0.113.77'),
          await left('::ffff:203.0.113.77'),
          await left('::ffff:cb00:714d'),
        ],
        [59, 58, 59, 59, 58, 57],
      );
    },
  );

  await t.test('logins are limited to 30 a minute, including those without solved work', async (t) => {
    const ip = site.newAddress();
    const submission = {
      email: site.newEmail(),
      password: 'wrong',
      pow_token: 'a'.repeat(40),
      pow_nonce: '1',
    };
    const unsolved = refusedUnproven('pow_invalid', { pow_nonce: 'wrong_work' });
    const workless = refusedUnproven('pow_invalid', { pow_token: 'required', pow_nonce: 'required' });
    const { email, password } = submission;
    for (let n = 1; n <= 30; n++) {
      const [body, expected] = n % 2 === 1 ? [submission, unsolved] : [{ email, password }, workless];
      const answer = await session.post('/login', { ip, body });
      t.strictSame([answer.status, answer.json], [422, expected], `login ${n}`);
      if (n === 1) remains(t, answer.headers, 30, 29);
    }
    for (const body of [submission, { email, password }]) {
      limited(t, await session.post('/login', { ip, body }), 30);
    }
    const malformed = await session.post('/login', { ip, body: {} });
    t.equal(malformed.status, 422, 'the form is checked first');
  });

  await t.test('rejected refreshes are limited to 60 a minute and other session routes to 300', async (t) => {
    const { accessToken } = await site.logIn(await site.newUser());
    const ip = site.newAddress();
    const headers = { authorization: `Bearer ${accessToken}`, cookie: 'refreshToken=forged' };
    for (const [method, path, limit, status] of [
      ['POST', '/refresh', 60, 401],
      ['GET', '/profile', 300, 200],
    ] as const) {
      const first = await session.send(method, path, { ip, headers });
      t.equal(first.status, status);
      remains(t, first.headers, limit, limit - 1);
      await Promise.all(Array.from({ length: limit - 1 }, () => session.send(method, path, { ip, headers })));
      limited(t, await session.send(method, path, { ip, headers }), limit);
    }
    limited(t, await session.post('/logout', { ip, headers }), 300);
    t.equal((await session.post('/logout', { ip: site.newAddress(), headers })).status, 204);
  });
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** `expires_at` is this many seconds after the response's own date. */
function livesFor(t: Test, { json, headers }: Answer, seconds: number, aheadMs = 0): void {
  const left = (Date.parse(json.expires_at) - aheadMs - Date.parse(headers.date ?? '')) / 1000;
  t.ok(Math.abs(left - seconds) <= 2, `${left} s are about ${seconds} s`);
}

function remains(t: Test, headers: Answer['headers'], limit: number, remaining: number): void {
  t.match(headers, { 'ratelimit-limit': `${limit}`, 'ratelimit-remaining': `${remaining}` });
  const reset = Number(headers['ratelimit-reset']);
  t.ok(reset > 0 && reset <= 60, `the window ends in ${reset} s`);
}

function limited(t: Test, answer: Answer, limit: number): void {
  t.equal(answer.status, 429);
  t.strictSame(answer.json, refusal('rate_limited'));
  remains(t, answer.headers, limit, 0);
  t.equal(answer.headers['retry-after'], answer.headers['ratelimit-reset']);
}
