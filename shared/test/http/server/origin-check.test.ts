// Cross-site refresh and login CSRF: permitted callers of a route that uses a cookie.

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import t from 'tap';
import { originAllowed, refuseForeignOrigins } from '../../../src/http/server/origin-check.js';
import { en } from '../../../src/messages/en.js';
import { buildSharedApp, ORIGIN } from '../shared-app.js';

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
