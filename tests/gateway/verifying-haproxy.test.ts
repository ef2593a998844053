// A gateway that verifies access tokens itself: HAProxy on its example file, with only the public key.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSigningKey, openSigningKeys, type SigningKey } from '@tollgate/shared/crypto';
import { createPublicIssuer } from '@tollgate/shared/tokens';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { haproxy, readExample, runHaproxy } from './gateway-programs.js';

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
