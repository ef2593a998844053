// The headers of every response, and requests of other origins.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import t from 'tap';
import { originAllowed, refuseForeignOrigins } from '../../../src/http/server/origin-check.js';
import { headersOfResponses, responseHeaders } from '../../../src/http/server/responses.js';
import { en } from '../../../src/messages/en.js';
import { buildSharedApp, ORIGIN } from '../shared-app.js';

const EVERYWHERE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
};

const requests = {
  'a success': { url: '/things/abc' },
  'a validation failure': { method: 'POST', url: '/form', payload: {} },
  'malformed JSON': {
    method: 'POST',
    url: '/form',
    headers: { 'content-type': 'application/json' },
    payload: '{',
  },
  'another media type': {
    method: 'POST',
    url: '/form',
    headers: { 'content-type': 'text/plain' },
    payload: 'x',
  },
  'too large a body': { method: 'POST', url: '/form', payload: { email: 'x'.repeat(20_000) } },
  'an unknown route': { url: '/nothing' },
  'a HEAD': { method: 'HEAD', url: '/things/abc' },
  'a method that the path does not have': { method: 'PUT', url: '/form' },
  'a bad path': { url: '/%zz' },
  'an over-long parameter': { url: `/things/${'a'.repeat(200)}` },
  'a mistake of ours': { url: '/broken' },
  'a store out of reach': { url: '/store-away' },
  'a refusal': { url: '/refused' },
  'a preflight': {
    method: 'OPTIONS',
    url: '/form',
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
  },
  'an OPTIONS that is no preflight': { method: 'OPTIONS', url: '/form' },
} as const;

for (const [title, request] of Object.entries(requests)) {
  t.test(
    `images cached by browser or proxy: ${title} is never stored and has every security header`,
    async (t) => {
      const { app } = await buildSharedApp(t);
      const { headers } = await app.inject(request);
      for (const [name, value] of Object.entries(EVERYWHERE)) t.equal(headers[name], value, name);
    },
  );
}

t.test('without https there is no Strict-Transport-Security', async (t) => {
  const { app } = await buildSharedApp(t, undefined, 'http://localhost:8080');
  t.notOk('strict-transport-security' in (await app.inject('/things/abc')).headers);
  t.ok('strict-transport-security' in headersOfResponses({ publicUrl: 'HTTPS://EXAMPLE.COM' }));
});

t.test("additional headers, such as the test mode's, are on every response", async (t) => {
  const { app } = await buildSharedApp(t, async (app) => {
    await app.register(responseHeaders, {
      publicUrl: 'https://example.com',
      extra: { 'x-captcha-test-mode': '1' },
    });
  });
  t.equal((await app.inject('/nothing')).headers['x-captcha-test-mode'], '1');
});

t.test('over HTTP each header occurs once, and a route may set its own', async (t) => {
  const { app } = await buildSharedApp(t, (app) => {
    app.get('/kept', async (_request, reply) => reply.header('cache-control', 'max-age=60').send('x'));
    app.get('/empty', async (_request, reply) => reply.code(204).send());
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  for (const [path, own] of Object.entries({
    '/kept': { 'cache-control': 'max-age=60' },
    '/empty': {},
    '/nothing': {},
  })) {
    const { headers } = await fetch(url + path);
    for (const [name, value] of Object.entries({ ...EVERYWHERE, ...own }))
      t.equal(headers.get(name), value, path);
  }
});

// Requests and responses permitted to pages of other origins.

t.test('a preflight of the allowed origin gets methods, headers and a lifetime', async (t) => {
  const { app } = await buildSharedApp(t);
  const response = await app.inject({
    method: 'OPTIONS',
    url: '/form',
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    },
  });
  t.equal(response.statusCode, 204);
  t.equal(response.body, '');
  t.match(response.headers, {
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, Accept-Language',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
});

t.test('the allowed origin can read every response, including errors, and its rate limits', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const url of ['/things/abc', '/nothing', '/store-away', '/broken']) {
    const { headers } = await app.inject({ url, headers: { origin: ORIGIN } });
    t.equal(headers['access-control-allow-origin'], ORIGIN, url);
    t.equal(headers['access-control-allow-credentials'], 'true');
    t.equal(
      headers['access-control-expose-headers'],
      'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    );
    t.match(headers.vary, /^Origin/);
  }
});

const others = [
  `${ORIGIN}.evil.example`,
  'https://evil-app.example.com',
  'http://app.example.com',
  `${ORIGIN}:8443`,
  `${ORIGIN}:443`,
  `${ORIGIN}/`,
  'https://APP.example.com',
  'null',
  '*',
  '',
];
t.test('look-alike origins are never allowed, and every response varies by origin', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const origin of others) {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const { headers } = await app.inject({
        method,
        url: '/things/abc',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      t.notOk('access-control-allow-origin' in headers, `${method} from ${origin}`);
      t.equal(headers.vary, 'Origin');
    }
  }
});

t.test('a response to a request without Origin also varies by Origin', async (t) => {
  const { app } = await buildSharedApp(t);
  const { headers } = await app.inject('/things/abc');
  t.equal(headers.vary, 'Origin');
  t.notOk('access-control-allow-origin' in headers);
});

// Cross-site refresh and login CSRF: permitted callers of a route that uses a cookie.

const PUBLIC = 'https://example.com:8443';
const allowed = [ORIGIN, PUBLIC];

async function buildGuarded(t: Parameters<typeof buildSharedApp>[0]) {
  const built = await buildSharedApp(t, (app) => {
    app.post('/refresh', { onRequest: refuseForeignOrigins(allowed) }, async () => ({ ok: true }));
  });
  const call = (headers: Record<string, string>) =>
    built.app.inject({ method: 'POST', url: '/refresh', headers });
  return { ...built, call };
}

t.test('both allowed origins, and requests without a page, pass', async (t) => {
  const { call } = await buildGuarded(t);
  const passing: Record<string, string>[] = [
    { origin: ORIGIN },
    { origin: PUBLIC },
    { origin: ORIGIN, 'sec-fetch-site': 'same-site' },
    { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    {},
  ];
  for (const headers of passing) t.equal((await call(headers)).statusCode, 200, JSON.stringify(headers));
});

t.test('look-alikes, null and foreign sites are rejected before the handler', async (t) => {
  const { call } = await buildGuarded(t);
  const refused: Record<string, string>[] = [
    { origin: 'null' },
    { origin: '' },
    { origin: `${ORIGIN}.evil.example` },
    { origin: 'https://evil.example' },
    { origin: 'https://evilapp.example.com' },
    { origin: 'http://app.example.com' },
    { origin: `${ORIGIN}:443` },
    { origin: `${ORIGIN}:8443` },
    { origin: 'https://example.com' },
    { origin: `${ORIGIN}/` },
    { origin: `${ORIGIN}@evil.example` },
    { origin: 'HTTPS://app.example.com' },
    { origin: `${ORIGIN}, ${ORIGIN}` },
    { origin: 'null', 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'none' },
    { origin: 'null', 'sec-fetch-site': 'same-origin, same-origin' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': '' },
  ];
  for (const headers of refused) {
    const response = await call(headers);
    t.equal(response.statusCode, 403, JSON.stringify(headers));
    t.same(response.json(), { message: en.origin_refused, code: 'origin_refused' });
    t.equal(response.headers['cache-control'], 'no-store');
  }
});

t.test('a request with two Origin headers is rejected', async (t) => {
  const { app } = await buildGuarded(t);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  const origins = `Origin: ${ORIGIN}\r\nOrigin: https://evil.example\r\n`;
  socket.write(
    `POST /refresh HTTP/1.1\r\nHost: x\r\n${origins}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  t.match(await text(socket), /^HTTP\/1\.1 403 /);
});

t.test('only the exact text of an allowed origin passes', async (t) => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((tail) => ORIGIN + tail),
      ),
      (origin) => {
        const passes = origin === 'null' || allowed.includes(origin);
        return originAllowed({ origin, secFetchSite: 'same-origin' }, allowed) === passes;
      },
    ),
  );
  t.pass('held for all texts tried');
});
