// Options and variables that change the endpoints.

import { bearerGuard } from '@tollgate/fastify';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { startServiceHere } from '../system/services-here.js';
import { bodyOf, refusal, refusedLogIn, refusedUnproven } from './refusals.js';
import { CHEAP, onRedis, onStore, type Site } from './site.js';

const EXPIRED = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax';

t.test('an encrypted public address with a path, a lax prefixed cookie, other names', (t) =>
  onRedis(
    t,
    {
      ...CHEAP,
      PUBLIC_URL: 'https://auth.tollgate.localhost:8443/base/',
      CORS_ORIGIN: 'https://app.tollgate.localhost',
      COOKIE_SAMESITE: 'lax',
      COOKIE_PREFIX: '__Secure-',
      ACCESS_TTL: '1000',
      REFRESH_TTL: '2000',
      DEVICE_TTL: '5000',
      SESSION_MAX_AGE: '2500',
      REFRESH_WINDOW: '0',
      CAPTCHA_ROUTES_PREFIX: 'challenges/v1',
      CAPTCHA_POW_FIELDS_TOKEN: 'work.id',
      CAPTCHA_POW_FIELDS_NONCE: 'work.nonce',
      CAPTCHA_FIELDS_TOKEN: 'image-id',
      CAPTCHA_FIELDS_ANSWER: 'image-text',
      CAPTCHA_ESCALATION_AFTER: '0',
      CAPTCHA_MIN_SECONDS: '1.5',
      CAPTCHA_CACHE_EXPIRE: '60',
      CAPTCHA_POW_EXPIRE: '90',
      CAPTCHA_BIND_IP: 'true',
    },
    renamed,
  ),
);

async function renamed(t: Test, site: Site): Promise<void> {
  const { gateway, session, challenge } = site;
  const fieldsOf = async (ip?: string, afterMs = 2_000) => {
    const sent = ip === undefined ? {} : { ip };
    const client = ip === undefined ? gateway : challenge;
    const { pow_token, pow_nonce } = await site.work(sent);
    const { json } = await client.get('/challenges/v1', sent);
    if (afterMs > 0) await site.age(afterMs);
    return {
      'work.id': pow_token,
      'work.nonce': pow_nonce,
      'image-id': json.token,
      'image-text': json.answer,
    };
  };

  await t.test('challenges have the other prefix, and the configured lifetime', async (t) => {
    const work = await gateway.get('/challenges/v1/pow');
    t.match(work, { status: 200, json: { expires_in: 90 } });
    const image = await gateway.get('/challenges/v1');
    t.match(image.json, {
      url: `https://auth.tollgate.localhost:8443/base/challenges/v1/${image.json.token}.png`,
      expires_in: 60,
    });
    const png = await gateway.get(`/base/challenges/v1/${image.json.token}.png`);
    t.equal(png.status, 200, 'the gateway strips the path of the public address');
    t.equal(png.headers['cross-origin-resource-policy'], 'same-site', 'for the pages of the same site');
    for (const path of ['/api/captcha', '/api/captcha/pow', '/captcha']) {
      t.equal((await gateway.get(path)).status, 404, path);
    }
  });

  await t.test('every response requires https from now on', async (t) => {
    const answers = [
      await gateway.get('/challenges/v1/pow'),
      await gateway.get('/challenges/v1/x'),
      await gateway.post('/login', { body: {} }),
      await session.get('/%zz'),
    ];
    for (const { headers } of answers) t.equal(headers['strict-transport-security'], 'max-age=31536000');
  });

  await t.test('errors use the configured field names', async (t) => {
    const account = { email: site.newEmail(), password: 'wrong' };
    const bare = await gateway.post('/login', { body: account });
    t.strictSame(
      bare.json,
      refusedUnproven('pow_invalid', { 'work.id': 'required', 'work.nonce': 'required' }, true),
    );
    const { 'image-id': _id, 'image-text': _text, ...work } = await fieldsOf();
    const unseen = await gateway.post('/login', { body: { ...account, ...work } });
    t.strictSame(
      bodyOf(unseen),
      refusedLogIn('captcha_required', true, { 'image-id': 'required', 'image-text': 'required' }),
      'the image is always required',
    );
    const mistaken = { ...(await fieldsOf()), 'image-text': 'zzzzzz' };
    const wrong = await gateway.post('/login', { body: { ...account, ...mistaken } });
    t.strictSame(bodyOf(wrong), refusedLogIn('captcha_invalid', true, { 'image-text': 'wrong_answer' }));
    const usual = await gateway.post('/login', { body: { ...account, ...(await site.work()) } });
    t.equal(usual.json.code, 'pow_invalid', 'the default names are ignored');
  });

  await t.test('an image solved within 1.5 seconds is rejected and spent; later it passes', async (t) => {
    const user = await site.newUser();
    const hasty = await fieldsOf(undefined, 0);
    const early = await gateway.post('/login', { body: { ...user, ...hasty } });
    t.strictSame(bodyOf(early), refusedLogIn('captcha_invalid', true, { 'image-text': 'wrong_answer' }));
    t.equal((await gateway.get(`/challenges/v1/${hasty['image-id']}.png`)).status, 404);
    t.equal((await gateway.post('/login', { body: { ...user, ...(await fieldsOf()) } })).status, 200);
  });

  await t.test('a challenge solved from an address other than that of its issue is rejected', async (t) => {
    const user = await site.newUser();
    const [ip, other] = [site.newAddress(), site.newAddress()];
    const submit = (fields: object, from: string) =>
      session.post('/login', { ip: from, body: { ...user, ...fields } });
    t.equal((await submit(await fieldsOf(ip), other)).json.code, 'pow_invalid');
    const mixed = { ...(await fieldsOf(ip)), ...pick(await fieldsOf(other), 'image-id', 'image-text') };
    t.equal((await submit(mixed, ip)).json.code, 'captcha_invalid');
    t.equal(
      (await submit(await fieldsOf(ip), `::ffff:${ip}`)).status,
      200,
      'a mapped address counts as the IPv4 address',
    );
    const network = await fieldsOf('2001:db8:9:9::1');
    t.equal((await submit(network, '2001:db8:9:9:8::8')).status, 200, 'one /64 is one client');
  });

  await t.test('the cookie, its lifetimes and its removal follow the variables', async (t) => {
    const user = await site.newUser();
    const logIn = async () => gateway.post('/login', { body: { ...user, ...(await fieldsOf()) } });
    const answer = await logIn();
    t.strictSame([answer.status, answer.json.expiresIn], [200, 1000]);
    t.match(answer.cookies, [
      /^__Secure-refreshToken=[A-Za-z0-9%]+; Max-Age=2000; Path=\/base\/refresh; HttpOnly; Secure; SameSite=Lax$/,
      /^__Secure-knownDevice=[A-Za-z0-9%]+; Max-Age=5000; Path=\/base\/login; HttpOnly; Secure; SameSite=Strict$/,
    ]);
    const cookieOf = (text: readonly string[]) => text.at(0)?.split(';')[0] ?? '';
    const first = cookieOf(answer.cookies);
    const bare = await site.refresh(first.replace('__Secure-', ''));
    t.equal(bare.json.code, 'token_invalid', 'without its prefix it is another cookie');

    await site.age(1_800_000);
    const shortened = await site.refresh(first);
    t.equal(shortened.status, 200);
    t.ok(shortened.json.expiresIn <= 700 && shortened.json.expiresIn > 680, 'no token outlives the session');
    t.match(shortened.cookies[0], new RegExp(`Max-Age=${shortened.json.expiresIn};`));
    const reused = await site.refresh(first);
    t.strictSame(
      [reused.status, reused.json],
      [401, refusal('session_revoked')],
      'a window of 0 is strict single use',
    );
    const after = await site.refresh(cookieOf(shortened.cookies));
    t.equal(after.json.code, 'session_revoked');

    const two = [cookieOf((await logIn()).cookies), cookieOf((await logIn()).cookies)];
    const conflict = await site.refresh(two);
    t.equal(conflict.json.code, 'cookie_conflict');
    const places = ['', 'Domain=auth.tollgate.localhost; ', 'Domain=tollgate.localhost; '].flatMap((domain) =>
      ['/', '/base', '/base/', '/base/refresh', '/base/refresh/'].map((path) => `${domain}Path=${path}`),
    );
    t.strictSame(
      [...conflict.cookies].sort(),
      places
        .filter((place) => place !== 'Path=/base/refresh')
        .map((place) => `__Secure-refreshToken=; Max-Age=0; ${place}; Secure`)
        .flatMap((text) => [text, `${text}; Partitioned`])
        .sort(),
    );
    const ended = await gateway.delete('/refresh', { headers: { cookie: two.join('; ') } });
    t.strictSame(
      [ended.status, ended.cookies],
      [204, [`__Secure-refreshToken=; Max-Age=0; Path=/base/refresh; ${EXPIRED}`]],
    );
  });

  await t.test('only the allowed origin and that of the public address pass', async (t) => {
    const status = async (origin: string) =>
      (await gateway.post('/login', { body: {}, headers: { origin, 'sec-fetch-site': 'cross-site' } }))
        .status;
    t.equal(await status('https://app.tollgate.localhost'), 422);
    t.equal(await status('https://auth.tollgate.localhost:8443'), 422);
    for (const origin of [
      'https://auth.tollgate.localhost',
      'http://app.tollgate.localhost',
      'https://tollgate.localhost',
    ]) {
      t.equal(await status(origin), 403, origin);
    }
    const allowed = await gateway.get('/challenges/v1/pow', {
      headers: { origin: 'https://app.tollgate.localhost' },
    });
    t.equal(allowed.headers['access-control-allow-origin'], 'https://app.tollgate.localhost');
  });
}

t.test('switched off and unlimited: no work, prices without volume', (t) =>
  onStore(
    t,
    'embedded',
    {
      ...CHEAP,
      CAPTCHA_TEST_MODE: 'false',
      CAPTCHA_POW_DIFFICULTY: '20',
      CAPTCHA_POW_MAX_DIFFICULTY: '23',
      CAPTCHA_POW_VOLUME_EVERY: '2',
      CAPTCHA_POW_VOLUME_STEP: '3',
      CAPTCHA_POW_EXPIRE: '30',
      CAPTCHA_POW_EXPIRE_GROWS: 'false',
      CAPTCHA_POW_ENABLED: 'false',
      CAPTCHA_ESCALATION_AFTER: '1',
      CAPTCHA_ESCALATION_DECAY: '60',
      COOKIE_SAMESITE: '',
    },
    unguarded,
  ),
);

async function unguarded(t: Test, site: Site): Promise<void> {
  const { gateway, challenge } = site;

  await t.test('the price follows its options, the lifetime stays the same', async (t) => {
    const ip = site.newAddress();
    const prices = [];
    for (let n = 0; n < 5; n++) prices.push((await challenge.get('/api/captcha/pow', { ip })).json);
    t.strictSame(
      prices.map(({ difficulty, expires_in }) => [difficulty, expires_in]),
      [
        [20, 30],
        [23, 30],
        [23, 30],
        [23, 30],
        [23, 30],
      ],
    );
  });

  await t.test('without the rule a login requires no work, but an image after failures', async (t) => {
    const user = await site.newUser();
    t.equal((await gateway.post('/login', { body: user })).status, 200);
    const junk = { ...user, pow_token: 'short', pow_nonce: '-1' };
    t.equal(
      (await gateway.post('/login', { body: junk })).status,
      200,
      'fields that are not checked may be anything',
    );
    const wrong = await gateway.post('/login', { body: { ...user, password: 'wrong' } });
    t.strictSame(bodyOf(wrong), refusedLogIn('login_failed', true));
    const demanded = await gateway.post('/login', { body: user });
    t.strictSame(
      bodyOf(demanded),
      refusedLogIn('captcha_required', true, { captcha_token: 'required', captcha: 'required' }),
    );
    await site.age(61_000);
    t.equal((await gateway.post('/login', { body: user })).status, 200, 'forgotten after the decay');
  });
}

t.test('an untrusted proxy is logged once, and never trusted', (t) =>
  onStore(
    t,
    'embedded',
    CHEAP,
    async (t, site) => {
      const warnings = async () =>
        (await site.logs()).split('\n').filter((line) => line.includes('TRUST_PROXY is not set'));
      const left = async (ip: string) =>
        Number((await site.challenge.get('/api/captcha/pow', { ip })).headers['ratelimit-remaining']);
      t.strictSame(await warnings(), []);
      await site.logIn(await site.newUser());
      const first = await left('203.0.113.1');
      t.equal(await left('203.0.113.2'), first - 1);
      t.equal((await warnings()).length, 2, 'one line per service');
    },
    { 'challenge-service': { TRUST_PROXY: '' }, 'session-service': { TRUST_PROXY: '' } },
    startServiceHere,
  ),
);

function pick<T extends object, K extends keyof T>(source: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, source[name]])) as Pick<T, K>;
}

t.test('public tokens', (t) => onRedis(t, { ...CHEAP, ACCESS_TOKEN_FORMAT: 'public' }, publicTokens));

async function publicTokens(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const { address } = site.system;
  const user = await site.newUser();
  const { accessToken, cookie } = await site.logIn(user);

  await t.test('the gateway forwards the keys, with their cache lifetime', async (t) => {
    const answer = await gateway.get('/.well-known/jwks.json');
    t.equal(answer.status, 200);
    t.match(answer.headers, { 'cache-control': 'public, max-age=300', etag: /^"/ });
    const { kid } = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString());
    t.strictSame(
      answer.json.keys.map((key: { kid: string }) => key.kid),
      [kid],
    );
    const again = { 'if-none-match': String(answer.headers.etag) };
    t.equal((await gateway.get('/.well-known/jwks.json', { headers: again })).status, 304);
  });

  await t.test('an application verifies them with only the address of the keys', async (t) => {
    const app = Fastify();
    t.teardown(() => app.close());
    const environment = {
      ACCESS_JWKS_URL: `${address}/.well-known/jwks.json`,
      ACCESS_TOKEN_ISSUER: address,
      ACCESS_TOKEN_AUDIENCE: address,
    };
    await app.register(bearerGuard, { environment });
    app.get('/', { onRequest: app.requireBearer }, async ({ bearer }) => ({
      id: bearer?.id,
      email: bearer?.email,
    }));
    const ask = (token: string) => app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } });
    t.strictSame((await ask(accessToken)).json(), { id: user.id, email: user.email });
    const refreshed = (await site.refresh(cookie)).json.accessToken;
    t.strictSame((await ask(refreshed)).json(), { id: user.id, email: user.email });
    t.equal((await ask(`${accessToken}x`)).statusCode, 401);
  });

  await t.test('every route accepts them', async (t) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    t.equal((await gateway.get('/profile', { headers })).status, 200);
    t.equal((await gateway.get('/verify', { headers })).status, 204);
    t.equal((await gateway.post('/logout', { headers })).status, 204);
    t.equal((await gateway.get('/profile', { headers })).json.code, 'session_revoked');
  });
}
