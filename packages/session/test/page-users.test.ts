// Users of requests, with a service in the place of `fetch` and a clock of the test.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  createPageSession,
  type PageRequest,
  type PageSessionOptions,
  SessionUnavailableError,
} from '@tollgate/session';
import t from 'tap';

const PUBLIC_URL = 'https://example.com/auth';
const NOW_S = 1_800_000_000;

const clock = { nowMs: NOW_S * 1000 };
const { now } = Date;
Date.now = () => clock.nowMs;
t.teardown(() => {
  Date.now = now;
});
t.beforeEach(() => {
  clock.nowMs = NOW_S * 1000;
});

interface Sent extends RequestInit {
  readonly url: string;
}

type Answer = Response | Error | Promise<Response>;

/** A session whose service responds so to the nth request, counted from 0; an error in place of a response. */
function sessionWith(
  respond: (at: number, init: RequestInit) => Answer,
  options: Partial<PageSessionOptions> = {},
) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, ...init });
    const answer = await respond(sent.length - 1, init);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { sent, session: createPageSession({ publicUrl: PUBLIC_URL, fetch, ...options }) };
}

const respond = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers });
const user = { 'x-auth-user-id': '7', 'x-auth-user-email': 'a%20b%40c', 'x-auth-session-id': 's' };
const known = () => respond(204, user);
const get = (cookie: string | string[]): PageRequest => ({ method: 'GET', headers: { cookie } as never });

/** The tokens that reach the service for these cookies, in order. */
async function tokensOf(cookie: string | string[], publicUrl = PUBLIC_URL) {
  const { session, sent } = sessionWith(known, { publicUrl });
  await session(get(cookie));
  const { cookie: line } = (sent[0]?.headers ?? {}) as { cookie?: string };
  return line;
}

t.test('the cookie of a request is sent to the service, and nothing else', async (t) => {
  const { session, sent } = sessionWith(known, { publicUrl: `${PUBLIC_URL}//` });
  const request = new Request('https://example.com/x', {
    headers: { cookie: 'a=b; __Host-page=x.y.z', authorization: 'Bearer x' },
  });
  t.match(await session(request), { id: '7', email: 'a b@c', sessionId: 's' });
  t.match(sent, [{ url: 'https://example.com/auth/verify/page', redirect: 'manual' }]);
  t.strictSame(sent[0]?.headers, { cookie: '__Host-page=x.y.z', 'x-forwarded-method': 'GET' });
  await session({ method: 'HEAD', headers: { cookie: '__Host-page=x' } });
  t.strictSame(sent[1]?.headers, { cookie: '__Host-page=x', 'x-forwarded-method': 'HEAD' });
  const inside = sessionWith(known, { service: new URL('http://127.0.0.1:3001/') });
  await inside.session(request);
  t.equal(inside.sent[0]?.url, 'http://127.0.0.1:3001/verify/page');
});

t.test('a service asks for nobody without a cookie, or with another method', async (t) => {
  const { session, sent } = sessionWith(known);
  const cookie = '__Host-page=x';
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get', '']) {
    t.equal(await session({ method, headers: { cookie } }), null, method);
  }
  t.equal(await session({ method: 'GET', headers: {} }), null);
  t.equal(await session({ method: 'GET', headers: new Headers() }), null);
  await t.rejects(session({ headers: { cookie } }), new TypeError('request.method is missing'));
  t.strictSame(sent, []);
});

t.test('only cookies of the exact name that may be tokens count, at most eight', async (t) => {
  t.equal(await tokensOf('__Host-page=x'), '__Host-page=x');
  t.equal(await tokensOf('page=x', 'http://localhost'), 'page=x', 'without TLS');
  t.equal(await tokensOf('page=x'), undefined);
  t.equal(await tokensOf('__Host-page=x', 'http://localhost'), undefined);
  t.equal(await tokensOf('a=b;\t  __Host-page=x \t;c'), '__Host-page=x', 'with space around');
  t.equal(await tokensOf(['a=b', '__Host-page=x;__Host-page=y']), '__Host-page=x; __Host-page=y');
  const longest = 'x'.repeat(4096);
  t.equal(await tokensOf(`__Host-page=${longest}`), `__Host-page=${longest}`);
  for (const pair of [
    `__Host-page=${longest}x`,
    '__Host-page',
    '__Host-page=',
    '__Host-page =x',
    '__Host -page=x',
    'x__Host-page=x',
    '\u00a0__Host-page=x',
    '__Host-page2=x',
    '__Host-page=a b',
    '__Host-page="x"',
    '__Host-page=é',
  ]) {
    t.equal(await tokensOf(pair), undefined, pair.slice(0, 20));
    t.equal(await tokensOf(`${pair}; __Host-page=y`), '__Host-page=y', 'the others count');
  }
  const many = (count: number) => Array.from({ length: count }, (_, at) => `__Host-page=${at}`).join('; ');
  t.equal(await tokensOf(many(8)), many(8));
  t.equal(await tokensOf(many(20)), many(8));
});

t.test('the user of a response has what the service names', async (t) => {
  const { session } = sessionWith(() =>
    respond(204, { ...user, 'x-auth-time': '1800000000', 'x-auth-amr': 'pwd,otp' }),
  );
  t.strictSame(await session(get('__Host-page=x')), {
    id: '7',
    email: 'a b@c',
    sessionId: 's',
    authTime: 1_800_000_000,
    amr: ['pwd', 'otp'],
  });
  const least = sessionWith(() => respond(204, { 'x-auth-user-id': '7' }));
  t.strictSame(await least.session(get('__Host-page=x')), {
    id: '7',
    email: '',
    sessionId: '',
    authTime: undefined,
    amr: undefined,
  });
});

t.test('401 is nobody, and every other response is none', async (t) => {
  const nobody = sessionWith(() => respond(401, user));
  t.equal(await nobody.session(get('__Host-page=x')), null);
  t.equal(nobody.sent.length, 1);
  for (const response of [
    () => respond(204),
    () => respond(204, { 'x-auth-user-id': '' }),
    ...[200, 302, 400, 403, 404, 499].map((status) => () => respond(status, user)),
  ]) {
    const { session, sent } = sessionWith(response);
    const error = await session(get('__Host-page=x')).catch((error) => error);
    t.ok(error instanceof SessionUnavailableError);
    t.match(error, { name: 'SessionUnavailableError', status: 503 });
    t.equal(error.message, `${PUBLIC_URL}/verify/page: status ${response().status}`);
    t.equal(sent.length, 1, 'another try would not help');
  }
});

t.test('a service that fails is asked a second time, and no more', async (t) => {
  for (const [reason, failure] of [
    ['status 429', () => respond(429, user)],
    ['status 500', () => respond(500, user)],
    ['status 503', () => respond(503, user)],
    ['TypeError: away', () => new TypeError('away')],
  ] as const) {
    const once = sessionWith((at) => (at === 0 ? failure() : known()));
    t.match(await once.session(get('__Host-page=x')), { id: '7' }, reason);
    t.equal(once.sent.length, 2);
    const always = sessionWith(failure);
    const error = new SessionUnavailableError(`${PUBLIC_URL}/verify/page: ${reason}`);
    await t.rejects(always.session(get('__Host-page=x')), error);
    t.equal(always.sent.length, 2);
  }
});

t.test('both tries share the time limit', async (t) => {
  const { session, sent } = sessionWith(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        // Unlike a connection, a time limit alone does not keep Node running.
        const running = setInterval(() => {}, 1000);
        signal?.addEventListener('abort', () => {
          clearInterval(running);
          reject(signal.reason);
        });
      }),
    { timeout: 401 },
  );
  const start = performance.now();
  await t.rejects(session(get('__Host-page=x')), { message: /: TimeoutError/ });
  const tookMs = performance.now() - start;
  t.equal(sent.length, 2);
  t.ok(tookMs > 390 && tookMs < 790, `${tookMs} ms`);
});

interface Signer {
  readonly alg: 'ES256' | 'EdDSA';
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

function signer(alg: Signer['alg'], kid: string): Signer {
  const { privateKey, publicKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  return { alg, kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg } };
}

const ES256 = signer('ES256', 'one');
const EDDSA = signer('EdDSA', 'two');
const CLAIMS = {
  iss: PUBLIC_URL,
  aud: `${PUBLIC_URL}#page`,
  sub: '7',
  email: 'ann@example.com',
  sid: 's',
  iat: NOW_S,
  exp: NOW_S + 900,
};

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A page cookie with this token. */
function cookieFor(by: Signer, claims: object = {}, header: object = {}): string {
  const head = { alg: by.alg, typ: 'page+jwt', kid: by.kid, ...header };
  const signed = `${encode(head)}.${encode({ ...CLAIMS, ...claims })}`;
  const hash = by.alg === 'ES256' ? 'sha256' : null;
  const signature = sign(hash, Buffer.from(signed), { key: by.privateKey, dsaEncoding: 'ieee-p1363' });
  return `__Host-page=${signed}.${signature.toString('base64url')}`;
}

const setOf = (...keys: unknown[]) => new Response(JSON.stringify({ keys }));
const sessionByKeys = (respond: (at: number) => Answer, options: Partial<PageSessionOptions> = {}) =>
  sessionWith(respond, { verify: 'keys', ...options });

t.test('keys: the user of a cookie is what its token says', async (t) => {
  const { session, sent } = sessionByKeys(() => setOf(ES256.jwk, EDDSA.jwk));
  for (const by of [ES256, EDDSA]) {
    const details = { auth_time: NOW_S - 60, amr: ['pwd'], claims: { role: 'admin' } };
    t.strictSame(await session(get(cookieFor(by, details))), {
      id: '7',
      email: 'ann@example.com',
      sessionId: 's',
      authTime: NOW_S - 60,
      amr: ['pwd'],
      claims: { role: 'admin' },
    });
    t.match(await session(get(`__Host-page=x; ${cookieFor(by)}`)), { id: '7' }, 'after one that is none');
    t.match(await session(get(cookieFor(by, { sub: 'é>?' }))), { id: 'é>?' });
  }
  t.match(sent, [{ url: `${PUBLIC_URL}/verify/page/jwks.json`, headers: {} }], 'fetched once');
});

t.test('keys: a token is its own issuer, audience and user, and nothing that it does not say', async (t) => {
  const { session } = sessionByKeys(() => setOf(ES256.jwk));
  const whose = async (claims: object, header = {}) =>
    (await session(get(cookieFor(ES256, claims, header))))?.id ?? null;
  t.equal(await whose({}), '7');
  for (const claims of [
    { iss: 'https://example.com', aud: 'https://example.com#page' },
    { iss: undefined, aud: 'undefined#page' },
    { aud: PUBLIC_URL },
    { aud: [`${PUBLIC_URL}#page`] },
    { aud: undefined },
    { sub: 7 },
    { sub: undefined },
    { iat: undefined },
    { exp: undefined },
  ]) {
    t.equal(await whose(claims), null, JSON.stringify(claims));
  }
  for (const header of [
    { typ: 'at+jwt' },
    { typ: undefined },
    { crit: ['exp'] },
    { jwk: ES256.jwk },
    { alg: 'EdDSA' },
    { alg: 'none' },
    { alg: 'toString' },
    { kid: 'other' },
    { kid: undefined },
  ]) {
    t.equal(await whose({}, header), null, JSON.stringify(header));
  }
  t.equal(await whose({ iss: `${PUBLIC_URL}//`, aud: `${PUBLIC_URL}//#page` }), '7', 'a slash at the end');
  const configured = sessionByKeys(() => setOf(ES256.jwk), { issuer: 'https://issuer.example/' });
  t.equal(await configured.session(get(cookieFor(ES256))), null);
  const own = { iss: 'https://issuer.example', aud: 'https://issuer.example#page' };
  t.match(await configured.session(get(cookieFor(ES256, own))), { id: '7' });
  t.equal(await whose(own), null);
});

t.test('keys: a token holds from its issue to its expiry, with five seconds for the clocks', async (t) => {
  const { session } = sessionByKeys(() => setOf(ES256.jwk));
  for (const [claims, holds] of [
    [{ iat: NOW_S + 5 }, true],
    [{ iat: NOW_S + 6 }, false],
    [{ exp: NOW_S - 4 }, true],
    [{ exp: NOW_S - 5 }, false],
    [{ exp: NOW_S - 6 }, false],
  ] as const) {
    t.equal((await session(get(cookieFor(ES256, claims)))) !== null, holds, JSON.stringify(claims));
  }
});

t.test('keys: no other text is a token', async (t) => {
  const { session, sent } = sessionByKeys(() => setOf(ES256.jwk));
  const cookie = cookieFor(ES256);
  const [head = '', body = '', signature = ''] = cookie.split('.');
  const short = Buffer.from(signature, 'base64url').subarray(1).toString('base64url');
  for (const value of [
    `${head}.${body}`,
    `${head}.${body}.`,
    `${head}.${body}.${short}`,
    `${head}.${body}.${signature}AA`,
    `${head}.${body}.${signature}.`,
    `${head}.${body}.%${signature}`,
    `__Host-page=${encode(null)}.${body}.${signature}`,
    `__Host-page=e.${body}.${signature}`,
    `__Host-page=.${body}.${signature}`,
  ]) {
    t.equal(await session(get(value)), null, value.slice(0, 40));
  }
  t.strictSame(sent, [], 'none is worth a fetch');
  t.equal(await session(get(`${head}.${encode({ ...CLAIMS, sub: '1' })}.${signature}`)), null);
  t.equal(await session(get(cookieFor({ ...signer('ES256', 'one') }))), null, 'signed with another key');
  t.match(await session(get(cookie)), { id: '7' });
});

t.test('keys: a key that this runtime cannot read leaves the others', async (t) => {
  const broken = { ...ES256.jwk, kid: 'broken', x: 'AA' };
  const odd = [
    null,
    5,
    'x',
    {},
    broken,
    { ...EDDSA.jwk, alg: 'ES256' },
    { kty: 'oct', k: 'AA', alg: 'HS256' },
  ];
  const { session } = sessionByKeys(() => setOf(...odd, ES256.jwk));
  t.match(await session(get(cookieFor(ES256))), { id: '7' });
  t.equal(await session(get(cookieFor(EDDSA))), null);
});

t.test('keys: without a key set nobody is known', async (t) => {
  for (const [message, response] of [
    ['no key set', () => new Response('{"keys":{}}')],
    ['no key set', () => new Response('null')],
    ['no key set', () => new Response('<p>Hello</p>')],
    ['status 404', () => new Response('{"keys":[]}', { status: 404 })],
    ['status 503', () => respond(503)],
  ] as const) {
    const { session } = sessionByKeys(response);
    const error = new SessionUnavailableError(`${PUBLIC_URL}/verify/page/jwks.json: ${message}`);
    await t.rejects(session(get(cookieFor(ES256))), error);
    await t.rejects(session(get(cookieFor(ES256))), error, 'nor at the next request');
  }
});

t.test('keys are fetched again after five minutes, and by one request alone', async (t) => {
  let release = () => {};
  const { session, sent } = sessionByKeys((at) =>
    at === 0
      ? setOf(ES256.jwk)
      : new Promise((resolve) => {
          release = () => resolve(setOf(EDDSA.jwk));
        }),
  );
  const cookie = get(cookieFor(ES256));
  t.match(await session(cookie), { id: '7' });
  clock.nowMs += 300_000;
  t.match(await session(cookie), { id: '7' });
  t.equal(sent.length, 1, 'as old as that they are fresh');
  clock.nowMs += 1;
  const waiting = session(cookie);
  t.match(await session(cookie), { id: '7' }, 'another request uses the keys at hand');
  t.equal(sent.length, 2);
  release();
  t.equal(await waiting, null, 'the key was removed');
  t.match(await session(get(cookieFor(EDDSA))), { id: '7' });
  t.equal(sent.length, 2);
});

t.test('keys are fetched for an unknown one, every thirty seconds at most', async (t) => {
  const sets = [setOf(ES256.jwk), setOf(ES256.jwk), setOf(ES256.jwk, EDDSA.jwk)];
  const { session, sent } = sessionByKeys((at) => sets[at] ?? new Error('one too many'));
  const cookie = get(cookieFor(EDDSA));
  t.equal(await session(cookie), null);
  t.equal(await session(cookie), null);
  clock.nowMs += 29_999;
  t.equal(await session(cookie), null);
  t.equal(sent.length, 1);
  clock.nowMs += 1;
  t.equal(await session(cookie), null);
  t.equal(sent.length, 2);
  clock.nowMs += 29_999;
  t.equal(await session(cookie), null);
  t.equal(sent.length, 2);
  clock.nowMs += 1;
  t.match(await session(cookie), { id: '7' });
  t.equal(sent.length, 3);
});

t.test('keys that cannot be fetched again hold for an hour', async (t) => {
  let isAway = false;
  const { session, sent } = sessionByKeys(() => (isAway ? new Error('away') : setOf(ES256.jwk)));
  const cookie = () => get(cookieFor(ES256, { exp: NOW_S + 7200 }));
  t.match(await session(cookie()), { id: '7' });
  isAway = true;
  clock.nowMs += 301_000;
  t.match(await session(cookie()), { id: '7' });
  t.equal(sent.length, 3, 'both tries');
  clock.nowMs += 29_999;
  t.match(await session(cookie()), { id: '7' });
  t.equal(sent.length, 3);
  clock.nowMs += 1;
  t.match(await session(cookie()), { id: '7' });
  t.equal(sent.length, 5, 'tried again after thirty seconds');
  clock.nowMs = NOW_S * 1000 + 3_590_000;
  t.match(await session(cookie()), { id: '7' });
  t.equal(sent.length, 7);
  clock.nowMs += 10_000;
  t.match(await session(cookie()), { id: '7' });
  t.equal(sent.length, 7, 'an hour old: no reason for another fetch');
  clock.nowMs += 1;
  await t.rejects(session(cookie()), SessionUnavailableError);
  await t.rejects(session(cookie()), SessionUnavailableError, 'at once');
  t.equal(sent.length, 9, 'forged cookies do not multiply the load of a service that fails');
  clock.nowMs += 1_000;
  await t.rejects(session(cookie()), SessionUnavailableError);
  t.equal(sent.length, 11);
  clock.nowMs += 1_000;
  isAway = false;
  t.match(await session(cookie()), { id: '7' });
});

t.test('where to continue', async (t) => {
  const session = createPageSession({ publicUrl: 'https://example.com/auth//' });
  const to = (path: string) => `https://example.com/auth/refresh/continue?to=${encodeURIComponent(path)}`;
  t.equal(session.continueUrl('/orders?a=b&c'), to('/orders?a=b&c'));
  t.equal(session.continueUrl('http://10.0.0.1:3000/orders?a=b#c'), to('/orders?a=b'));
  t.equal(session.continueUrl(new URL('http://10.0.0.1:3000/orders?a#b')), to('/orders?a'));
  t.equal(session.continueUrl(new Request('http://10.0.0.1:3000/orders')), to('/orders'));
  t.equal(session.continueUrl({ method: 'GET', headers: {}, url: '/b', originalUrl: '/a/b' }), to('/a/b'));
  t.equal(session.continueUrl({ method: 'GET', headers: {}, url: '/b' }), to('/b'));
  t.equal(session.continueUrl('http://['), to('/'));
  t.equal(session.continueUrl('orders/'), to('/'));
  t.equal(session.continueUrl({ headers: {} }), to('/'));
});

t.test('no shared cache stores a page of a user', async (t) => {
  const { responseHeaders } = createPageSession({ publicUrl: PUBLIC_URL });
  t.strictSame(responseHeaders, { 'cache-control': 'private, no-store', vary: 'Cookie' });
});

t.test('mistakes of the options are thrown at once', async (t) => {
  for (const publicUrl of [
    ...[undefined, '', 'example.com', 'ftp://example.com', 'https://u:p@example.com'],
    ...['https://example.com/?a', 'https://example.com/#a', 'https://example.com/ a', ' https://example.com'],
  ]) {
    t.throws(() => createPageSession({ publicUrl }), new TypeError('Invalid publicUrl'), String(publicUrl));
  }
  const service = 'x';
  t.throws(() => createPageSession({ publicUrl: PUBLIC_URL, service }), new TypeError('Invalid service'));
  t.ok(createPageSession({ publicUrl: new URL(PUBLIC_URL) }));
});
