// An application behind Tollgate, with the example files for Caddy and nginx, and with HAProxy, which verifies access tokens
// itself with only the public key.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSigningKey, openSigningKeys, type SigningKey } from '@tollgate/shared/crypto';
import { createPublicIssuer } from '@tollgate/shared/tokens';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { CHEAP } from '../doctor/examined-system.js';
import { freePorts } from '../launcher/launch.js';
import { solve } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import { haproxy, readExample, runCaddy, runHaproxy, runNginx } from './gateway-programs.js';

const ZOE = { email: 'zoë+50%@exämple.com', password: 'a long enough password' };
const REFUSED = { message: 'Please sign in.', code: 'token_invalid' };

/** An application that responds with the user sent by the gateway. */
async function openApplication(t: Test) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { headers } = request;
    const said = {
      method: request.method,
      url: request.url,
      id: headers['x-auth-user-id'],
      email: headers['x-auth-user-email'] && decodeURIComponent(String(headers['x-auth-user-email'])),
      session: headers['x-auth-session-id'],
      time: headers['x-auth-time'],
      amr: headers['x-auth-amr'],
      claims: Object.keys(headers).filter((name) => /^x[-_]auth/.test(name)).length,
      authorization: headers.authorization,
      body,
    };
    response.setHeader('x-application', 'here').end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function logIn({ ports }: System): Promise<string> {
  const work = JSON.parse((await ask(`http://127.0.0.1:${ports.challenge}/api/captcha/pow`)).text);
  const fields = { pow_token: work.token, pow_nonce: solve(work) };
  const answer = await ask(`http://127.0.0.1:${ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...ZOE, ...fields }),
  });
  return JSON.parse(answer.text).accessToken;
}

/** Requirements for every gateway with GET /verify. */
async function behaves(t: Test, system: System, url: string): Promise<void> {
  const token = await logIn(system);
  const bearer = { Authorization: `Bearer ${token}` };

  await t.test('with a login, the application gets the user', async (t) => {
    const answer = await ask(`${url}/orders?a=%2B`, { headers: bearer });
    t.equal(answer.status, 200);
    const { session, time, ...said } = JSON.parse(answer.text);
    t.match(session, /^[A-Za-z0-9]{22}$/);
    t.ok(Math.abs(Number(time) - Date.now() / 1000) < 300);
    t.strictSame(said, {
      method: 'GET',
      url: '/orders?a=%2B',
      id: '2',
      email: ZOE.email,
      amr: 'pwd',
      claims: 5,
      body: '',
    });
  });

  await t.test('a body arrives, and HEAD is HEAD', async (t) => {
    const posted = await ask(`${url}/orders`, { method: 'POST', headers: bearer, body: '{"of":"books"}' });
    t.match(JSON.parse(posted.text), { method: 'POST', id: '2', body: '{"of":"books"}' });
    const head = await ask(`${url}/orders`, { method: 'HEAD', headers: bearer });
    t.match(head, { status: 200, text: '', headers: { 'x-application': 'here' } });
    t.match(await ask(`${url}/orders`, { method: 'HEAD' }), { status: 401, text: '' });
  });

  await t.test(
    'without a valid bearer the rejection by session-service is forwarded unchanged',
    async (t) => {
      const wrong: Record<string, string>[] = [
        {},
        { Authorization: 'Bearer x' },
        { Authorization: `Basic ${token}` },
      ];
      for (const headers of wrong) {
        for (const method of ['GET', 'POST']) {
          const answer = await ask(`${url}/orders`, {
            method,
            headers,
            ...(method === 'POST' ? { body: 'x' } : {}),
          });
          t.equal(answer.status, 401);
          t.strictSame(JSON.parse(answer.text), REFUSED);
          t.match(answer.headers, {
            'www-authenticate': 'Bearer',
            'cache-control': 'no-store',
            'content-type': /^application\/json/,
          });
          t.equal(answer.headers['x-application'], undefined);
        }
      }
      const french = await ask(`${url}/orders`, { headers: { 'Accept-Language': 'fr' } });
      t.equal(french.headers['content-language'], 'fr');
    },
  );

  await t.test('a spoofed X-Auth header reaches nobody', async (t) => {
    const spoofed = {
      'X-Auth-User-Id': '1',
      'x-auth-user-email': 'admin@example.com',
      'X-Auth-Session-Id': 'x'.repeat(22),
      'X-Auth-Time': '1',
      'X-Auth-Amr': 'hwk',
      X_Auth_User_Id: '1',
      'X-Auth_User-Id': '1',
    };
    t.equal((await ask(`${url}/orders`, { headers: spoofed })).status, 401);
    const said = JSON.parse((await ask(`${url}/orders`, { headers: { ...spoofed, ...bearer } })).text);
    t.match(said, { id: '2', email: ZOE.email, amr: 'pwd', claims: 5 });
  });

  await t.test('an ended session is rejected immediately', async (t) => {
    const logout = await ask(`http://127.0.0.1:${system.ports.session}/logout`, {
      method: 'POST',
      headers: bearer,
    });
    t.equal(logout.status, 204);
    const answer = await ask(`${url}/orders`, { headers: bearer });
    t.equal(answer.status, 401);
    t.equal(JSON.parse(answer.text).code, 'session_revoked');
  });
}

const skip = haproxy === '' && 'HAProxy is not installed: install haproxy';
const NAMES = {
  issuer: 'https://auth.example.com',
  audiences: ['https://api.example.com'],
  clientId: 'tollgate',
};

/** An application that responds with the received user headers: all of that family, in any spelling. */
async function startApplication(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const told = request.rawHeaders.filter((_, at) => at % 2 === 0).filter((name) => /^x.auth/i.test(name));
    response.end(
      told
        .map((name) => `${name}: ${request.headers[name.toLowerCase()]}`)
        .sort()
        .join('\n'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts HAProxy over plain http with an operator's keys during a rotation. */
async function startGateway(t: Test, keys: readonly SigningKey[]): Promise<string> {
  const folder = tempDir(t);
  const [port, application] = [await freePort(), await startApplication(t)];
  const files = keys.map(({ id, key }) => {
    const file = join(folder, `${id}.pem`);
    writeFileSync(file, key.export({ type: 'spki', format: 'pem' }));
    return file;
  });
  const configuration = readExample('verify-tokens.haproxy.cfg')
    .replace('bind :443 ssl crt /etc/haproxy/tls.pem', `bind 127.0.0.1:${port}`)
    .replace('server app app:8000', `server app ${application}`)
    .replace('/etc/haproxy/tollgate.pem', String(files[0]))
    .replace('# acl is_signed', 'acl is_signed')
    .replace('/etc/haproxy/tollgate-next.pem', String(files[1]));
  await runHaproxy(t, configuration, port);
  return `http://127.0.0.1:${port}`;
}

t.test('forward authentication', async (t) => {
  const environment = { ...CHEAP, ...freePorts, DATA_DIR: tempDir(t) };
  const system = await startSystem({ startService: startServiceHere, environment, accounts: [ZOE] });
  t.teardown(() => system.stop());
  const application = await openApplication(t);
  const session = `127.0.0.1:${system.ports.session}`;

  await t.test('with forward_auth of Caddy', async (t) => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const variables = { APP_URL: url, APP_UPSTREAM: application, SESSION_UPSTREAM: session };
    await runCaddy(t, readExample('forward-auth.Caddyfile'), variables, port);
    await behaves(t, system, url);
  });

  await t.test('with auth_request of nginx', async (t) => {
    const port = await freePort();
    const here = readExample('forward-auth.nginx.conf')
      .replace('session-service:3001', session)
      .replace('app:8000', application)
      .replace('listen 80', `listen 127.0.0.1:${port}`);
    await runNginx(t, here, port);
    await behaves(t, system, `http://127.0.0.1:${port}`);
    t.equal((await ask(`http://127.0.0.1:${port}/.verify`)).status, 404, 'the subrequest is internal');
  });
});

/** Counts connections and requests; responds to each with 204. @param headers of each response */
async function openCounter(t: Test, headers: Readonly<Record<string, string>> = {}) {
  const counted = { connections: 0, requests: 0 };
  const server = createServer((_request, response) => {
    counted.requests += 1;
    response.writeHead(204, headers).end();
  }).on('connection', () => {
    counted.connections += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, counted };
}

t.test('a connection kept by forward_auth of Caddy led to the application', async (t) => {
  const ASKED = 5;
  for (const [name, url, asked] of [
    ['forward-auth.Caddyfile', 'APP_URL', 'SESSION_UPSTREAM'],
    ['gate.Caddyfile', 'SITE_URL', 'CHALLENGE_UPSTREAM'],
  ] as const) {
    await t.test(`${name} opens a connection for each check`, async (t) => {
      const port = await freePort();
      const [service, application] = [await openCounter(t, { 'x-auth-user-id': '7' }), await openCounter(t)];
      const address = `http://127.0.0.1:${port}`;
      const variables = { [url]: address, [asked]: service.host, APP_UPSTREAM: application.host };
      await runCaddy(t, readExample(name), variables, port);
      // The test has waited for Caddy with a request.
      for (const { counted } of [service, application])
        Object.assign(counted, { connections: 0, requests: 0 });
      for (let sent = 0; sent < ASKED; sent++) t.equal((await fetch(`${address}/orders`)).status, 204);
      t.strictSame(service.counted, { connections: ASKED, requests: ASKED });
      t.equal(application.counted.requests, ASKED);
    });
  }

  await t.test('a 2xx response without a user lets no request in', async (t) => {
    const port = await freePort();
    const [service, application] = [await openCounter(t), await openCounter(t)];
    const address = `http://127.0.0.1:${port}`;
    const variables = { APP_URL: address, SESSION_UPSTREAM: service.host, APP_UPSTREAM: application.host };
    await runCaddy(t, readExample('forward-auth.Caddyfile'), variables, port);
    const forged = { 'x-auth-user-id': '7' };
    t.equal((await fetch(`${address}/orders`, { headers: forged })).status, 502);
    t.ok(service.counted.requests > 0);
    t.equal(application.counted.requests, 0);
  });
});

t.test('HAProxy lets in only requests with a valid access token', { skip }, async (t) => {
  const [key, next, foreign] = ['ES256', 'ES256', 'ES256'].map(
    () => openSigningKeys(createSigningKey('ES256')).current,
  ) as [SigningKey, SigningKey, SigningKey];
  const url = await startGateway(t, [key, next]);
  const ask = async (token: string | undefined, headers = {}, method = 'GET') => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url, { method, headers: { ...headers, ...authorization } });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const iat = Math.floor(Date.now() / 1000);
  const sid = '0123456789ABCDEFGHIJKL';
  const claims = { id: 7, email: 'ann@example.com', sid, gen: 1, iat, exp: iat + 900 };
  const issue = (by: SigningKey, changes = {}, names = {}) =>
    createPublicIssuer(by, { ...NAMES, ...names })({ ...claims, ...changes });

  const told = ['User-Id', 'Session-Id', 'User-Email', 'Time', 'Amr'];
  const spellings = told.flatMap((name) => [
    `X-Auth-${name}`,
    `x_auth_${name.replace('-', '_')}`,
    `X-AUTH_${name}`,
  ]);
  const forged = Object.fromEntries(spellings.map((name) => [name, '1']));
  for (const by of [key, next]) {
    const answer = await ask(issue(by), forged);
    t.equal(answer.status, 200);
    t.equal(
      answer.text.toLowerCase(),
      `x-auth-session-id: ${sid}\nx-auth-user-id: 7`.toLowerCase(),
      'the application gets the verified user, and no claims of the client',
    );
  }
  t.equal((await ask(undefined, forged, 'OPTIONS')).text, '');

  const valid = issue(key);
  const [head = '', body = '', signature = ''] = valid.split('.');
  const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'ES256', typ: 'at+jwt', kid: key.id };
  const refused: Record<string, string | undefined> = {
    nothing: undefined,
    'no token': 'x',
    'an expired token': issue(key, { iat: iat - 1000, exp: iat - 100 }),
    'a token without expiry': issue(key, { exp: undefined }),
    'another issuer': issue(key, {}, { issuer: 'https://evil.example' }),
    'another audience': issue(key, {}, { audiences: ['https://other.example'] }),
    'a foreign key': issue(foreign),
    'changed claims': `${head}.${segment({ ...claims, sub: '1' })}.${signature}`,
    'alg none': `${segment({ ...header, alg: 'none' })}.${body}.`,
    'another typ': `${segment({ ...header, typ: 'JWT' })}.${body}.${signature}`,
    'a symmetric algorithm': `${segment({ ...header, alg: 'HS256' })}.${body}.${signature}`,
  };
  for (const [name, token] of Object.entries(refused)) {
    const answer = await ask(token, { 'x-auth-user-id': '1' });
    t.equal(answer.status, 401, name);
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
    t.match(JSON.parse(answer.text), { code: 'token_invalid' });
  }
});
