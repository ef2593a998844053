// Users of requests, with the running session-service: both ways to verify, and everything that is no user.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPageSession, type PageRequest, SessionUnavailableError } from '@tollgate/session';
import { createSigningKey } from '@tollgate/shared/crypto';
import { freePort } from '@tollgate/test-support/free-port.js';
import { serve } from '@tollgate/test-support/serve.js';
import { until } from '@tollgate/test-support/until.js';
import { codeBlocks } from '@tollgate/tests/docs/markdown.js';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import t from 'tap';
import { logIn, type RenderedSite, startRenderedSite } from './rendered-site.js';

const KEYS = { ES256: createSigningKey('ES256'), EdDSA: createSigningKey('EdDSA') };
const sites: Record<'sealed' | keyof typeof KEYS, RenderedSite> = {
  sealed: await startRenderedSite(t),
  ES256: await startRenderedSite(t, {
    ACCESS_TOKEN_FORMAT: 'public',
    ACCESS_SIGNING_KEYS: KEYS.ES256,
    ACCESS_TOKEN_ISSUER: 'https://issuer.example',
  }),
  EdDSA: await startRenderedSite(t, { ACCESS_TOKEN_FORMAT: 'public', ACCESS_SIGNING_KEYS: KEYS.EdDSA }),
};
const issuer = { ES256: 'https://issuer.example', EdDSA: undefined, sealed: undefined };

/** The checks of a site: over HTTP, and by keys for public cookies. */
function sessionsOf(name: keyof typeof sites) {
  const { address: publicUrl, service } = sites[name];
  const byService = createPageSession({ publicUrl, service, timeout: 20_000 });
  const byKeys = { publicUrl, service, verify: 'keys', issuer: issuer[name], timeout: 20_000 } as const;
  return name === 'sealed' ? [byService] : [byService, createPageSession(byKeys)];
}

const get = (cookie: string, method = 'GET'): PageRequest => ({ method, headers: { cookie } });
const names = Object.keys(sites) as (keyof typeof sites)[];

t.test('the user of a request, in the form of any framework', async (t) => {
  for (const name of names) {
    const { page } = await logIn(sites[name]);
    const { email } = sites[name].account;
    for (const session of sessionsOf(name)) {
      const user = await session(new Request('http://localhost/orders', { headers: { cookie: page } }));
      t.match(user, { id: '1', email, sessionId: /^[A-Za-z0-9]{22}$/, amr: ['pwd'] }, name);
      t.ok(Math.abs(Number(user?.authTime) - Date.now() / 1000) < 60);
      t.strictSame(await session(get(`a=b; ${page};c`)), user, 'an object');
      t.strictSame(await session({ method: 'HEAD', headers: new Headers({ cookie: page }) }), user, 'HEAD');
      t.strictSame(
        await session({ method: 'GET', headers: { cookie: ['a=b', page] } }),
        user,
        'several headers',
      );
    }
  }
});

t.test('nothing else is a user', async (t) => {
  for (const name of names) {
    const { page, accessToken, refresh } = await logIn(sites[name]);
    const other = await logIn(sites[name === 'sealed' ? 'ES256' : 'sealed']);
    const token = page.slice('page='.length);
    const [head = '', body = '', signature = ''] = token.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = [
      ...['', 'x', 'a.b.c', 'a.b.c.d', '....', '%', '%ff', 'null', '__proto__', 'x'.repeat(5000)],
      ...[token.slice(0, -1), `${token}A`, token.replace(/.$/, '!'), ` ${token}x`],
      ...[accessToken, refresh.replace('refreshToken=', ''), other.page.slice('page='.length)],
      ...[
        `${encoded({ alg: 'none', typ: 'page+jwt' })}.${body}.`,
        `${encoded({ alg: '__proto__', typ: 'page+jwt' })}.${body}.${signature}`,
      ],
      ...[
        `${encoded({ alg: 'HS256', typ: 'page+jwt', kid: 'x' })}.${body}.${signature}`,
        `${head}.${encoded({ sub: '1' })}.${signature}`,
      ],
    ];
    for (const session of sessionsOf(name)) {
      for (const value of forged)
        t.equal(await session(get(`page=${value}`)), null, `${name} ${value.slice(0, 40)}`);
      for (const cookie of [
        '',
        ';;',
        '=',
        'page',
        page.replace('page', 'Page'),
        `\u00a0${page}`,
        `__Host-${page}`,
      ])
        t.equal(await session(get(cookie)), null, cookie.slice(0, 20));
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', ''])
        t.equal(await session(get(page, method)), null, method);
      t.equal(await session({ method: 'GET', headers: {} }), null);
      await t.rejects(session({ headers: { cookie: page } }), { name: 'TypeError' });
    }
  }
});

t.test('an ended session: at once with the service, at expiry with keys', async (t) => {
  const { address } = sites.ES256;
  const [byService, byKeys] = sessionsOf('ES256');
  const { page, accessToken } = await logIn(sites.ES256);
  await fetch(`${address}/logout`, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } });
  t.equal(await byService?.(get(page)), null);
  t.match(await byKeys?.(get(page)), { id: '1' });
  const brief = await startRenderedSite(t, {
    ACCESS_TOKEN_FORMAT: 'public',
    ACCESS_SIGNING_KEYS: KEYS.ES256,
    ACCESS_TTL: '1',
  });
  const { address: publicUrl, service } = brief;
  const session = createPageSession({ publicUrl, service, verify: 'keys', timeout: 20_000 });
  const { page: soon } = await logIn(brief);
  await until(async () => (await session(get(soon))) === null, 'the expiry of the cookie');
  t.equal(await session(get(soon)), null, 'its own expiry, and five seconds for the clocks');
});

t.test('a service that is away is no logout', async (t) => {
  const { page } = await logIn(sites.ES256);
  const { address: publicUrl } = sites.ES256;
  const places = {
    nowhere: `http://127.0.0.1:${await freePort()}`,
    silent: await serve(t, () => {}),
    failing: await serve(t, (_request, response) => response.writeHead(503).end()),
    redirecting: await serve(t, (_request, response) => response.writeHead(302, { location: '/x' }).end()),
    other: await serve(t, (_request, response) => response.writeHead(200).end('Hello')),
    off: await serve(t, (_request, response) => response.writeHead(404).end('{}')),
  };
  for (const [name, service] of Object.entries(places)) {
    for (const verify of ['service', 'keys'] as const) {
      const session = createPageSession({ publicUrl, service, verify, timeout: 400 });
      await t.rejects(session(get(page)), SessionUnavailableError, `${name}, ${verify}`);
      t.equal(await session(get('')), null, 'without a cookie nobody is asked');
    }
  }
  let times = 0;
  const unsteady = await serve(t, (_request, response) => {
    times += 1;
    response
      .writeHead(times === 1 ? 503 : 204, { 'x-auth-user-id': '7', 'x-auth-user-email': 'a%20b' })
      .end();
  });
  const session = createPageSession({ publicUrl, service: unsteady, timeout: 20_001 });
  t.match(await session(get(page)), { id: '7', email: 'a b' }, 'a second try');
});

t.test('keys are fetched once, again for a new one, and kept while they cannot be fetched', async (t) => {
  const { address: publicUrl, service } = sites.EdDSA;
  const { page } = await logIn(sites.EdDSA);
  const served = await (await fetch(`${service}/verify/page/jwks.json`)).text();
  let fetches = 0;
  let body = served;
  const fetchKeys = async () => {
    fetches += 1;
    if (body === '') throw new Error('away');
    return new Response(body);
  };
  const session = createPageSession({ publicUrl, service, verify: 'keys', fetch: fetchKeys });
  for (let times = 0; times < 5; times++) t.match(await session(get(page)), { id: '1' });
  t.equal(fetches, 1);
  const now = Date.now;
  t.teardown(() => {
    Date.now = now;
  });
  const { page: foreign } = await logIn(sites.ES256);
  t.equal(await session(get(foreign)), null);
  t.equal(fetches, 1, 'an unknown key is not worth a fetch at once');
  body = '';
  const unknown = `page=${Buffer.from('{"alg":"ES256","typ":"page+jwt","kid":"x"}').toString('base64url')}.e30.${'A'.repeat(86)}`;
  Date.now = () => now() + 31_000;
  t.equal(await session(get(unknown)), null, 'the service is away, and the keys are young');
  t.equal(fetches, 3, 'both tries');
  t.match(await session(get(page)), { id: '1' });
  body = '{"keys":1}';
  Date.now = () => now() + 800_000;
  t.match(await session(get(page)), { id: '1' }, 'a broken set does not replace the keys');
  Date.now = () => now() + 3_700_000;
  await t.rejects(session(get(page)), SessionUnavailableError, 'keys of an hour are too old');
});

t.test('the documented servers run as written', async (t) => {
  const { address, service, account } = sites.sealed;
  const { page } = await logIn(sites.sealed);
  for (const document of ['docs/sessions/server-rendering.md', 'packages/session/README.md']) {
    const [code = ''] = codeBlocks(readProjectFile(document), 'js').filter((block) =>
      block.includes('.listen('),
    );
    // Inside the package, so that its imports are found.
    const folder = mkdtempSync(fileURLToPath(new URL('../sample-', import.meta.url)));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'server.mjs');
    writeFileSync(file, code.replace('http://127.0.0.1:3001', service));
    const port = await freePort();
    const env = { PATH: process.env.PATH, PUBLIC_URL: address, PORT: String(port) };
    const child = spawn(process.execPath, [file], { env, stdio: 'inherit' });
    t.teardown(() => child.kill('SIGKILL'));
    const load = (cookie: string, path = '/orders') =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie }, redirect: 'manual' });
    await until(async () => (await load('')).status === 303, document);
    const shown = await load(page);
    t.equal(shown.status, 200);
    t.match(await shown.text(), account.email, document);
    t.equal(shown.headers.get('cache-control'), 'private, no-store');
    const redirect = await load('', '/orders?a=b');
    t.equal(redirect.headers.get('location'), `${address}/refresh/continue?to=%2Forders%3Fa%3Db`);
  }
});
