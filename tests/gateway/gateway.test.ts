// The gateway in front of two throw-away services: routing, and changes to requests.
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readChallengeNames } from '@tollgate/tools/gateway/challenge-names.js';
import { buildGateway, listenLocally } from '@tollgate/tools/gateway/gateway.js';
import { readShownPrice } from '@tollgate/tools/gateway/shown-price.js';
import t, { type Test } from 'tap';
import { ask, type Received, startService } from '../throw-away-service.js';

const challenges = readChallengeNames({}, []);
const price = readShownPrice({});

interface Setup {
  readonly publicUrl?: string;
  readonly testMode?: boolean;
  readonly answer?: (received: Received, response: ServerResponse) => void;
}

async function startGateway(
  t: Test,
  { publicUrl = 'http://localhost:8080', testMode = false, answer }: Setup = {},
) {
  const session = await startService(answer);
  const challenge = await startService(answer);
  const app = await buildGateway({
    sessionUrl: session.url,
    challengeUrl: challenge.url,
    challenges,
    price,
    publicUrl,
    testMode,
    demoEmail: 'demo@example.com',
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(async () => {
    await app.close();
    await session.close();
    await challenge.close();
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, app, session, challenge };
}

t.test('every path goes to its service, path and query unchanged', async (t) => {
  const { url, session, challenge } = await startGateway(t);
  const routes: [string, string, 'session' | 'challenge'][] = [
    ['GET', '/api/captcha', 'challenge'],
    ['GET', '/api/captcha?preset=default&preset=%20a+b', 'challenge'],
    ['GET', '/api/captcha/pow?scope=a%2Bb', 'challenge'],
    ['HEAD', `/api/captcha/${'a'.repeat(40)}.png`, 'challenge'],
    ['GET', `/api/captcha/${'a'.repeat(2000)}.png`, 'challenge'],
    ['POST', '/login', 'session'],
    ['POST', '/refresh', 'session'],
    ['DELETE', '/refresh', 'session'],
    ['OPTIONS', '/refresh', 'session'],
    ['POST', '/logout', 'session'],
    ['GET', '/sessions', 'session'],
    ['DELETE', '/sessions/5f%2F6', 'session'],
    ['GET', '/profile', 'session'],
    ['GET', '/verify', 'session'],
    ['PUT', '/login/below', 'session'],
  ];
  for (const [method, path, owner] of routes) {
    const before = { session: session.received.length, challenge: challenge.received.length };
    t.equal((await ask(url + path, { method })).status, 200, `${method} ${path}`);
    const reached = owner === 'session' ? session : challenge;
    t.equal(session.received.length + challenge.received.length, before.session + before.challenge + 1);
    t.match(reached.received.at(-1), { method, url: path });
  }
});

t.test('paths of no service get a response from the gateway itself', async (t) => {
  const { url, session, challenge } = await startGateway(t);
  for (const path of [
    '/loginx',
    '/api',
    '/health/ready',
    '/openapi.json',
    '/host/verify',
    '/login/..%2Fx',
    '/%zz',
  ]) {
    const answer = await ask(url + path);
    t.equal(answer.status, 404, path);
    t.same(JSON.parse(answer.text), { message: 'Not found.', code: 'not_found' });
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  t.same([...session.received, ...challenge.received], []);
});

t.test('in test mode the responses of the gateway itself have the header', async (t) => {
  const paths = ['/nothing', '/%zz', '/', '/page.json', '/app.js'];
  for (const testMode of [true, false]) {
    const { url, session } = await startGateway(t, { testMode });
    for (const path of paths) {
      const { headers } = await ask(url + path, { headers: { Host: 'localhost:8080' } });
      t.equal(headers['x-captcha-test-mode'], testMode ? '1' : undefined, path);
    }
    await session.close();
    const away = await ask(`${url}/profile`);
    t.equal(away.status, 503);
    t.equal(away.headers['x-captcha-test-mode'], testMode ? '1' : undefined, 'the service is unavailable');
  }
});

t.test('forged forwarding and identity headers are replaced or removed, never forwarded', async (t) => {
  const { url, session } = await startGateway(t);
  await ask(`${url}/profile`, {
    headers: {
      'X-Forwarded-For': '203.0.113.9',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Port': '1',
      Forwarded: 'for=203.0.113.9',
      'X-Auth-User-Id': '1',
      'X-AUTH-Anything': '1',
      X_Auth_User_Id: '1',
      'X-Original-URL': '/verify',
      X_Rewrite_URL: '/verify',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
      Connection: 'x-forwarded-for, close',
      Host: 'localhost:8080',
      Authorization: 'Bearer abc',
    },
  });
  const headers = session.received[0]?.headers ?? {};
  t.match(headers, {
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'localhost:8080',
    authorization: 'Bearer abc',
  });
  const left = Object.keys(headers).filter((name) =>
    /^(x.auth|forwarded|x-forwarded-port|x.original|x.rewrite|upgrade|http2)/.test(name),
  );
  t.same(left, []);
});

t.test('a body of any type and content reaches the service unchanged', async (t) => {
  const { url, session } = await startGateway(t);
  const bodies: [string | undefined, string][] = [
    ['application/json', '{"broken": '],
    ['application/json', '{"__proto__":{}}'],
    ['application/json', 'x'.repeat(17 * 1024)],
    ['text/plain', 'hello'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['not a media type', '{}'],
    ['application/json; charset=utf-8', '{"é":1}'],
    [undefined, 'no type'],
  ];
  for (const [type, body] of bodies) {
    const headers = {
      ...(type && { 'Content-Type': type }),
      'Content-Length': `${Buffer.byteLength(body)}`,
    };
    t.equal((await ask(`${url}/login`, { method: 'POST', headers, body })).status, 200, type ?? 'no type');
    const received = session.received.at(-1);
    t.equal(received?.body, body);
    t.equal(received?.headers['content-type'], type);
    t.equal(received?.headers['content-length'], `${Buffer.byteLength(body)}`);
  }
});

t.test('chunked, empty and announced bodies arrive', async (t) => {
  const { url, session } = await startGateway(t);
  await ask(`${url}/login`, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body: '{"a":1}' });
  t.equal(session.received.at(-1)?.body, '{"a":1}');
  await ask(`${url}/refresh`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': '0' },
  });
  t.match(session.received.at(-1), { body: '', headers: { 'content-type': 'application/json' } });
  await ask(`${url}/refresh`, { method: 'DELETE' });
  t.match(session.received.at(-1), { method: 'DELETE', body: '', headers: { 'content-type': undefined } });
  await ask(`${url}/login`, { method: 'POST', headers: { Expect: '100-continue' }, body: '{}' });
  t.equal(session.received.at(-1)?.body, '{}');
});

t.test('repeated cookies of one name all come through, in both directions', async (t) => {
  const { url, session } = await startGateway(t, {
    answer: (_received, response) => {
      response.setHeader('Set-Cookie', ['a=1; Path=/refresh; HttpOnly', 'a=; Path=/; Max-Age=0']);
      response.end('{}');
    },
  });
  const answer = await ask(`${url}/refresh`, {
    method: 'POST',
    headers: ['Host', 'localhost', 'Cookie', 'refreshToken=one', 'Cookie', 'refreshToken=two'],
  });
  t.equal(session.received[0]?.headers.cookie, 'refreshToken=one; refreshToken=two');
  t.same(answer.headers['set-cookie'], ['a=1; Path=/refresh; HttpOnly', 'a=; Path=/; Max-Age=0']);
});

t.test('a response keeps its status and headers, and gains none', async (t) => {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'content-type': 'application/json; charset=utf-8',
    date: 'Tue, 15 Nov 1994 08:12:31 GMT',
    'retry-after': '7',
    'ratelimit-limit': '30',
    vary: 'Origin, Accept-Language',
    'www-authenticate': 'Bearer',
  };
  for (const status of [200, 401, 422, 429, 503]) {
    const { url } = await startGateway(t, {
      answer: (_received, response) => response.writeHead(status, headers).end('{"code":"x"}'),
    });
    const answer = await ask(`${url}/profile`);
    const {
      connection: _connection,
      'content-length': _length,
      'transfer-encoding': _te,
      ...rest
    } = answer.headers;
    t.equal(answer.status, status);
    t.equal(answer.text, '{"code":"x"}');
    t.same(rest, headers);
  }
});

t.test('204 and HEAD come through without a body', async (t) => {
  const { url } = await startGateway(t, {
    answer: ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '1500' }).end();
      else response.writeHead(204).end();
    },
  });
  const gone = await ask(`${url}/logout`, { method: 'POST' });
  t.equal(gone.status, 204);
  t.equal(gone.text, '');
  const head = await ask(`${url}/api/captcha/x.png`, { method: 'HEAD' });
  t.match(head, { status: 200, text: '', headers: { 'content-length': '1500' } });
});

t.test('a GET with a 503 response is sent once', async (t) => {
  const { url, challenge } = await startGateway(t, {
    answer: (_received, response) => response.writeHead(503, { 'retry-after': '1' }).end('{}'),
  });
  t.equal((await ask(`${url}/api/captcha/pow`)).status, 503);
  t.equal(challenge.received.length, 1);
});

t.test('connections to a service are kept alive and reused', async (t) => {
  const { url, session } = await startGateway(t);
  for (let i = 0; i < 20; i++) await ask(`${url}/profile`);
  t.equal(session.received.length, 20);
  t.equal(session.connections(), 1);
});

t.test('an unavailable service returns 503, and the other one continues', async (t) => {
  const { url, session } = await startGateway(t);
  await session.close();
  const answer = await ask(`${url}/login`, { method: 'POST', body: '{}' });
  t.equal(answer.status, 503);
  t.equal(JSON.parse(answer.text).code, 'upstream_unavailable');
  t.equal(answer.headers['retry-after'], '1');
  t.equal(answer.headers['cache-control'], 'no-store');
  t.equal((await ask(`${url}/api/captcha/pow`)).status, 200);
});

t.test('the path of PUBLIC_URL is stripped', async (t) => {
  const { url, session } = await startGateway(t, { publicUrl: 'http://localhost:8080/auth' });
  t.equal((await ask(`${url}/auth/profile?x=1`)).status, 200);
  t.equal(session.received[0]?.url, '/profile?x=1');
  t.equal((await ask(`${url}/auth/`, { headers: { Host: 'localhost:8080' } })).status, 200);
  t.equal((await ask(`${url}/authx`)).status, 404);
});

t.test('the demo page has its own strict policy and no inline code', async (t) => {
  const { url } = await startGateway(t);
  const page = await ask(url, { headers: { Host: 'localhost:8080' } });
  t.equal(page.status, 200);
  t.match(page.headers, {
    'content-type': /^text\/html/,
    'content-security-policy':
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; /,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  t.notMatch(page.headers['content-security-policy'], /'unsafe/);
  t.notMatch(page.text, /<style|\sstyle=|\son[a-z]+=|<script>/);
  for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(?!https?:)([^"]+)"/g)) {
    // Documents have moved into their site, which is built at the first visit.
    const expected = path.startsWith('README.md') ? 302 : 200;
    const { status } = await ask(new URL(path, url).href, { headers: { Host: 'localhost:8080' } });
    t.equal(status, expected, path);
  }
  const worker = await ask(`${url}/client/solver/worker.js`, { headers: { Host: 'localhost:8080' } });
  t.match(worker, {
    status: 200,
    headers: {
      'content-type': /javascript/,
      'content-security-policy': page.headers['content-security-policy'],
      'cache-control': 'no-cache',
    },
  });
  t.equal((await ask(`${url}/client/session.d.ts`, { headers: { Host: 'localhost:8080' } })).status, 404);
  const facts = await ask(`${url}/page.json`, { headers: { Host: 'localhost:8080' } });
  t.same(JSON.parse(facts.text), {
    challenge_prefix: 'api/captcha',
    challenge_fields: {
      pow_token: 'pow_token',
      pow_nonce: 'pow_nonce',
      captcha_token: 'captcha_token',
      captcha: 'captcha',
    },
    price: { floor: 16, ceiling: 24, step: 2, image_after: 2 },
    demo_email: 'demo@example.com',
  });
});

t.test('another loopback name moves to the public address, where a login has the right Origin', async (t) => {
  const { url } = await startGateway(t);
  t.match(await ask(`${url}/`, { headers: { Host: '127.0.0.1:8080' } }), {
    status: 307,
    headers: { location: 'http://localhost:8080/' },
  });
});

t.test('a page whose own name resolves to this machine is rejected: DNS rebinding', async (t) => {
  const { url, session } = await startGateway(t, { publicUrl: 'https://Name-8080.codespaces.example/auth' });
  const statusFor = async (host: string, path = '/auth/profile') =>
    (await ask(url + path, { headers: { Host: host } })).status;
  const own = ['localhost', 'LOCALHOST:8080', '127.0.0.1:9999', '[::1]', '[::1]:8080'];
  for (const host of [...own, 'name-8080.codespaces.example', 'name-8080.codespaces.example:443'])
    t.equal(await statusFor(host), 200, host);
  const reached = session.received.length;
  const foreign = [
    ...['evil.example', 'evil.example:8080', 'localhost.evil.example', 'evil-localhost', 'xlocalhost'],
    ...[
      '127.0.0.1.evil.example',
      '127.0.0.1:8080.evil.example',
      'evil.example:localhost',
      '[::1].evil.example',
    ],
    ...['localhost@evil.example', 'evil.example#localhost', '0.0.0.0'],
  ];
  for (const host of foreign) {
    for (const path of ['/auth/', '/auth/profile', '/auth/api/captcha/pow', '/auth/page.json', '/nothing'])
      t.equal(await statusFor(host, path), 421, `${host} ${path}`);
  }
  t.equal(session.received.length, reached);
  const refusal = await ask(`${url}/nothing`, { headers: { Host: 'evil.example' } });
  t.strictSame(JSON.parse(refusal.text), {
    message:
      'This gateway only accepts the host names localhost, 127.0.0.1, [::1], name-8080.codespaces.example. To use another name, set PUBLIC_URL.',
    code: 'host_unknown',
  });
  t.equal(refusal.headers['cache-control'], 'no-store');
});

t.test('a tunnel is used by the name in PUBLIC_URL', async (t) => {
  const { url } = await startGateway(t, { publicUrl: 'https://tunnel.example' });
  t.equal((await ask(`${url}/`, { headers: { Host: 'tunnel.example' } })).status, 200);
});

t.test('it listens on both loopback addresses of one port, and stops on both', async (t) => {
  const session = await startService();
  t.teardown(() => session.close());
  const settings = { sessionUrl: session.url, challengeUrl: session.url, challenges, price };
  const app = await buildGateway({ ...settings, publicUrl: 'http://localhost:8080' });
  await listenLocally(app, 0);
  const { port } = app.server.address() as AddressInfo;
  t.equal((await ask(`http://127.0.0.1:${port}/profile`)).status, 200);
  const second = await ask(`http://[::1]:${port}/profile`).catch((error: Error) => error);
  if (second instanceof Error) t.match(second, { code: /EADDRNOTAVAIL|EAFNOSUPPORT|ECONNREFUSED/ });
  else t.equal(session.received.at(-1)?.headers['x-forwarded-for'], '::1');
  await app.close();
  await t.rejects(ask(`http://127.0.0.1:${port}/profile`), { code: 'ECONNREFUSED' });
});

t.test('paths below /refresh get their response before other hanging requests', async (t) => {
  const { url, session } = await startGateway(t);
  session.hang();
  const hanging = ask(`${url}/refresh`, { method: 'POST' }).catch(() => 'ended with the test');
  const renewals = ['/refresh/renew', '/refresh/bind'].map((path) => ask(url + path, { method: 'POST' }));
  for (const renewal of renewals) {
    t.equal(await Promise.race([renewal, hanging]), await renewal);
    t.match(await renewal, { status: 503, headers: { 'cache-control': 'no-store', 'retry-after': '1' } });
  }
  t.equal(session.received.length, 3);
});
