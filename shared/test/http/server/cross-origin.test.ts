// Requests and responses permitted to pages of other origins.

import t from 'tap';
import { buildSharedApp, ORIGIN } from '../shared-app.js';

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
