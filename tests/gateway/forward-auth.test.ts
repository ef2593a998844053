// An application behind Tollgate, with the example files for Caddy and nginx.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { CHEAP } from '../doctor/examined-system.js';
import { freePorts } from '../launcher/launch.js';
import { solve } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import { readExample, runCaddy, runNginx } from './gateway-programs.js';

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
