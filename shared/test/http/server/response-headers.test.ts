// The headers of every response, from any source.

import t from 'tap';
import { headersOfResponses, responseHeaders } from '../../../src/http/server/responses.js';
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
