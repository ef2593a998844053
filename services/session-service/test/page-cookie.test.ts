// The page cookie: set and cleared with the session, verified for pages alone, refused wherever something may change.

import { createSigningKey } from '@tollgate/shared/crypto';
import fc from 'fast-check';
import type { FastifyInstance, HTTPMethods, LightMyRequestResponse } from 'fastify';
import t from 'tap';
import {
  API_KEY,
  type Held,
  PASSWORD,
  PUBLIC_URL,
  type SessionNode,
  startNode,
  until,
  userDirectory,
} from './support/session-node.js';
import { onSharedServices } from './support/shared-services.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const NAME = '__Host-page';
const ON = { PAGE_COOKIE: 'true', PAGE_LOGIN_URL: '/sign-in' };
const PUBLIC = {
  ...ON,
  ACCESS_TOKEN_FORMAT: 'public',
  ACCESS_SIGNING_KEYS: createSigningKey('ES256'),
  ACCESS_SECRET: '',
};

const eachService = onSharedServices(async (root, { store }) => {
  const directory = await userDirectory(root, ANN, BOB);
  const start = (env: Record<string, string> = {}, onLine?: (line: string) => void) =>
    startNode(root, { store, directory, env, ...(onLine && { onLine }) });
  return { directory, start, off: await start(), sealed: await start(ON), open: await start(PUBLIC) };
});

const cookiesOf = (answer: LightMyRequestResponse) => [answer.headers['set-cookie'] ?? []].flat();

/** The `Set-Cookie` of the page cookie. */
const setIn = (answer: LightMyRequestResponse) =>
  cookiesOf(answer).find((header) => header.startsWith(`${NAME}=`));

/** The `Cookie` header with the page cookie of a response. */
const pageOf = (answer: LightMyRequestResponse) => setIn(answer)?.split(';')[0] ?? '';

const isCleared = (answer: LightMyRequestResponse) =>
  setIn(answer)?.startsWith(`${NAME}=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT`) === true;

interface Visitor extends Held {
  readonly page: string;
  readonly answer: LightMyRequestResponse;
}

async function visitor({ app }: SessionNode, email = ANN, more: object = {}): Promise<Visitor> {
  const payload = { email, password: PASSWORD, ...more };
  const answer = await app.inject({ method: 'POST', url: '/login', payload });
  const cookie = cookiesOf(answer)[0]?.split(';')[0] ?? '';
  return { accessToken: answer.json().accessToken, cookie, page: pageOf(answer), answer };
}

/** What a gateway learns. */
async function seen(
  { app }: SessionNode,
  cookie: string,
  headers: Record<string, string> = { 'x-forwarded-method': 'GET' },
): Promise<string> {
  const answer = await app.inject({ url: '/verify/page', headers: { cookie, ...headers } });
  if (answer.statusCode === 204) return String(answer.headers['x-auth-user-email']);
  return answer.json().code;
}

const send = ({ app }: SessionNode, method: HTTPMethods, url: string, headers: Record<string, string>) =>
  app.inject({ method, url, headers });

t.test('switched off, no response has the cookie and no route exists', (t) =>
  eachService(t, async (t, { off }) => {
    const { answer, cookie } = await visitor(off);
    t.equal(cookiesOf(answer).filter((header) => header.includes('page')).length, 0);
    t.equal(answer.headers['cache-control'], 'no-store');
    t.notMatch(answer.headers.vary ?? '', /cookie/i);
    const refreshed = await send(off, 'POST', '/refresh', { cookie });
    t.equal(cookiesOf(refreshed).length, 1);
    for (const url of ['/verify/page', '/verify/page/jwks.json', '/refresh/continue?to=/'])
      t.equal((await send(off, 'GET', url, {})).statusCode, 404, url);
  }),
);

t.test('each response with an access token sets it, for the life of that token', (t) =>
  eachService(t, async (t, { sealed, open }) => {
    for (const node of [sealed, open]) {
      const { answer, cookie, accessToken, page } = await visitor(node);
      t.match(
        setIn(answer),
        /^__Host-page=[^;]+; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        'of a login',
      );
      t.match(cookiesOf(answer)[0], /^refreshToken=/, 'the refresh cookie stays the first');
      t.equal(answer.headers['cache-control'], 'private, no-store');
      t.match(answer.headers.vary, /\bCookie\b/);
      t.equal(await seen(node, page), ANN);

      const refreshed = await send(node, 'POST', '/refresh', { cookie });
      t.not(pageOf(refreshed), page);
      t.equal(await seen(node, pageOf(refreshed)), ANN, 'of a refresh');

      const again = await node.app.inject({
        method: 'POST',
        url: '/reauthenticate',
        headers: { authorization: `Bearer ${accessToken}` },
        payload: { password: PASSWORD },
      });
      t.equal(again.statusCode, 200);
      t.equal(await seen(node, pageOf(again)), ANN, 'of a reauthentication');

      const made = await node.admin.inject({
        method: 'POST',
        url: '/users/1/sign-in-codes',
        headers: { authorization: `Bearer ${API_KEY}` },
        payload: { origin: PUBLIC_URL, amr: ['otp'] },
      });
      const byCode = await node.app.inject({
        method: 'POST',
        url: '/login/code',
        headers: { origin: PUBLIC_URL },
        payload: { code: made.json().code },
      });
      t.equal(byCode.statusCode, 200, byCode.body);
      t.equal(await seen(node, pageOf(byCode)), ANN, 'of a login by code');
    }
  }),
);

t.test('without "remember me" it ends with the browser', (t) =>
  eachService(t, async (t, { sealed }) => {
    const { answer } = await visitor(sealed, ANN, { remember: false });
    t.match(setIn(answer), /^__Host-page=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  }),
);

t.test('it counts for GET and HEAD only, by every header that names the method', (t) =>
  eachService(t, async (t, { sealed }) => {
    const { page } = await visitor(sealed);
    const method = 'x-forwarded-method';
    for (const name of [method, 'x-original-method']) {
      for (const safe of ['GET', 'HEAD']) t.equal(await seen(sealed, page, { [name]: safe }), ANN);
      for (const other of ['POST', 'PUT', 'DELETE', 'PATCH', 'get', 'GET, POST', '', 'OPTIONS'])
        t.equal(await seen(sealed, page, { [name]: other }), 'token_invalid', other);
    }
    t.equal(await seen(sealed, page, {}), 'token_invalid', 'a gateway that names no method');
    t.equal(await seen(sealed, page, { [method]: 'POST', 'x-original-method': 'GET' }), 'token_invalid');
    t.equal((await send(sealed, 'HEAD', '/verify/page', { cookie: page, [method]: 'GET' })).statusCode, 204);
  }),
);

t.test('neither token passes for the other, in either format', (t) =>
  eachService(t, async (t, { sealed, open }) => {
    for (const node of [sealed, open]) {
      const { page, accessToken, cookie } = await visitor(node);
      const token = page.slice(NAME.length + 1);
      for (const url of ['/verify', '/profile', '/sessions'])
        t.equal((await send(node, 'GET', url, { authorization: `Bearer ${token}` })).statusCode, 401, url);
      const introspected = await node.admin.inject({
        method: 'POST',
        url: '/introspect',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ token }).toString(),
      });
      t.strictSame(introspected.json(), { active: false });
      t.equal(await seen(node, `${NAME}=${accessToken}`), 'token_invalid');
      t.equal(await seen(node, cookie.replace('refreshToken', NAME)), 'token_invalid');
      const asRefresh = await send(node, 'POST', '/refresh', { cookie: `refreshToken=${token}` });
      t.equal(asRefresh.json().code, 'token_invalid');
      t.equal(
        (await send(node, 'GET', '/verify', { cookie: page })).statusCode,
        401,
        'no cookie is a bearer',
      );
    }
    t.equal(await seen(open, (await visitor(sealed)).page), ANN, 'a changed format keeps sealed ones');
    t.equal(
      await seen(sealed, (await visitor(open)).page),
      'token_invalid',
      'without keys there is no public one',
    );
  }),
);

t.test('the keys of public page tokens are another set than those of access tokens', (t) =>
  eachService(t, async (t, { open, sealed }) => {
    const idsAt = async (node: SessionNode, url: string) =>
      (await send(node, 'GET', url, {})).json().keys.map(({ kid }: { kid: string }) => kid);
    const [page, access] = [
      await idsAt(open, '/verify/page/jwks.json'),
      await idsAt(open, '/.well-known/jwks.json'),
    ];
    t.equal(page.length, 1);
    t.equal(access.length, 1);
    t.not(page[0], access[0]);
    t.strictSame(await idsAt(sealed, '/verify/page/jwks.json'), []);
    const { page: cookie } = await visitor(open);
    const [head = '', body = ''] = cookie.slice(NAME.length + 1).split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    t.strictSame(read(head), { alg: 'ES256', typ: 'page+jwt', kid: page[0] });
    t.match(read(body), { iss: PUBLIC_URL, aud: `${PUBLIC_URL}#page`, sub: '1', email: ANN });
  }),
);

t.test('every end of a session that responds to its browser clears it, and no end leaves it valid', (t) =>
  eachService(t, async (t, { sealed, directory }) => {
    const bearer = ({ accessToken }: Visitor) => ({ authorization: `Bearer ${accessToken}` });
    const sidOf = async (visit: Visitor) =>
      String((await send(sealed, 'GET', '/verify', bearer(visit))).headers['x-auth-session-id']);

    const out = await visitor(sealed);
    t.ok(isCleared(await send(sealed, 'POST', '/logout', { ...bearer(out), cookie: out.page })));
    t.equal(await seen(sealed, out.page), 'session_revoked');

    const unknown = await visitor(sealed);
    t.ok(
      isCleared(await send(sealed, 'DELETE', '/refresh', { cookie: `${unknown.cookie}; ${unknown.page}` })),
    );
    t.equal(await seen(sealed, unknown.page), 'session_revoked');

    const own = await visitor(sealed);
    const sid = await sidOf(own);
    t.ok(isCleared(await send(sealed, 'DELETE', `/sessions/${sid}`, bearer(own))));
    t.equal(await seen(sealed, own.page), 'session_revoked');

    const [here, elsewhere] = [await visitor(sealed), await visitor(sealed)];
    const others = await send(sealed, 'DELETE', '/sessions', bearer(here));
    t.equal(setIn(others), undefined, 'this session continues');
    t.equal(await seen(sealed, here.page), ANN);
    t.equal(await seen(sealed, elsewhere.page), 'session_revoked');
    const gone = await send(sealed, 'POST', '/refresh', { cookie: `${elsewhere.cookie}; ${elsewhere.page}` });
    t.equal(gone.json().code, 'session_revoked');
    t.ok(isCleared(gone), 'a refresh of an ended session');
    const atGateway = await send(sealed, 'GET', '/verify/page', {
      cookie: elsewhere.page,
      'x-forwarded-method': 'GET',
    });
    t.ok(isCleared(atGateway), 'a page of an ended session');
    const mixed = await send(sealed, 'POST', '/refresh', { cookie: `${elsewhere.cookie}; ${here.page}` });
    t.equal(setIn(mixed), undefined, 'the page cookie of another session stays');

    const admin = await visitor(sealed);
    await sealed.admin.inject({
      method: 'DELETE',
      url: `/users/1/sessions/${await sidOf(admin)}`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    t.equal(await seen(sealed, admin.page), 'session_revoked');

    const replaced = await visitor(sealed);
    const next = await sealed.app.inject({
      method: 'POST',
      url: '/login',
      headers: { cookie: `${replaced.cookie}; ${replaced.page}` },
      payload: { email: ANN, password: PASSWORD },
    });
    t.equal(await seen(sealed, pageOf(next)), ANN);
    t.equal(await seen(sealed, replaced.page), 'session_revoked', 'a login ends the earlier session');

    const strict = await visitor(sealed, BOB);
    const changed = await sealed.app.inject({
      method: 'POST',
      url: '/password',
      headers: bearer(strict),
      payload: { old_password: PASSWORD, new_password: 'another long password' },
    });
    t.equal(changed.statusCode, 204);
    t.equal(await seen(sealed, strict.page), BOB, 'a password change keeps its own session');
    await directory.setDisabled(BOB, true);
    const disabled = await send(sealed, 'POST', '/refresh', { cookie: `${strict.cookie}; ${strict.page}` });
    t.equal(disabled.json().code, 'session_revoked');
    t.ok(isCleared(disabled), 'a disabled user');
    t.equal(await seen(sealed, strict.page), 'session_revoked');
    await directory.setDisabled(BOB, false);
  }),
);

t.test('theft ends it: the reuse of a refresh token clears the cookie of its response', (t) =>
  eachService(t, async (t, { start }) => {
    const node = await start({ ...ON, REFRESH_WINDOW: '0' });
    const owner = await visitor(node);
    const refreshed = await send(node, 'POST', '/refresh', { cookie: owner.cookie });
    const page = pageOf(refreshed);
    t.equal(await seen(node, page), ANN);
    const stolen = await send(node, 'POST', '/refresh', { cookie: `${owner.cookie}; ${page}` });
    t.equal(stolen.json().code, 'session_revoked');
    t.ok(isCleared(stolen));
    await until(async () => (await seen(node, page)) === 'session_revoked');
    t.equal(await seen(node, page), 'session_revoked');
  }),
);

t.test('one that is too long for browsers is not set, replaces the old one, and the log says so once', (t) =>
  eachService(t, async (t, { start }) => {
    const lines: string[] = [];
    const node = await start(PUBLIC, (line) => lines.push(line));
    const reply = async (length: number) => {
      const claims = node.app.tokens.access.read((await visitor(node)).accessToken);
      if (!claims.ok) throw new Error('the token of a login is right');
      const headers: string[] = [];
      const fake = {
        getHeader: () => undefined,
        header: (name: string, value: string) => name === 'set-cookie' && headers.push(value),
      };
      const email = `${'a'.repeat(length)}@example.com`;
      node.app.cookies.page?.set(fake as never, { ...claims.claims, email }, 900);
      return headers[0] ?? '';
    };
    const base = (await reply(0)).length;
    // Base64 makes four characters of three.
    const most = Math.floor(((3800 - base) * 3) / 4);
    const longest = await reply(most - 2);
    t.ok(longest.length <= 3800 && longest.length > 3790, `${longest.length}`);
    t.match(longest, 'Max-Age=900');
    for (let times = 0; times < 2; times++) t.match(await reply(most + 6), /^__Host-page=; Max-Age=0/);
    t.equal(lines.filter((line) => line.includes('too long for browsers')).length, 1);
  }),
);

t.test('every route that changes something treats it like a forged one, whatever the request', (t) =>
  eachService(t, async (t, { open, sealed }) => {
    for (const node of [sealed, open]) {
      const { page } = await visitor(node);
      const token = page.slice(NAME.length + 1);
      const routes = routesOf(node.app).filter(({ method }) => method !== 'GET' && method !== 'HEAD');
      const names = routes.map(({ method, url }) => `${method} ${url}`);
      for (const known of [
        'POST /login/code',
        'POST /refresh/bind',
        'DELETE /sessions/:id',
        'POST /password',
      ])
        t.ok(names.includes(known), names.join(', '));
      const before = await node.sessions.list(1);
      const places = ['cookie', 'refresh cookie', 'bearer', 'method override', 'all'] as const;
      const answerTo = ({ method, url }: (typeof routes)[number], place: string, value: string) => {
        const isAll = place === 'all';
        return node.app.inject({
          method,
          url: url.replace(':id', before[0]?.sid ?? ''),
          headers: {
            'x-forwarded-method': 'GET',
            cookie: `${NAME}=${value}${place === 'refresh cookie' || isAll ? `; refreshToken=${value}` : ''}`,
            ...(place === 'bearer' || isAll ? { authorization: `Bearer ${value}` } : {}),
            ...(place === 'method override' || isAll ? { 'x-http-method-override': 'GET' } : {}),
          },
          ...(method === 'DELETE' ? {} : { payload: {} }),
        });
      };
      const told = ({ statusCode, body }: LightMyRequestResponse) => `${statusCode} ${body}`;
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...routes), fc.constantFrom(...places), async (route, place) => {
          const real = told(await answerTo(route, place, token));
          const forged = told(await answerTo(route, place, 'forged'));
          if (real !== forged) throw new Error(`${real}, not ${forged}`);
        }),
        { numRuns: 100 },
      );
      t.strictSame(
        (await node.sessions.list(1)).map(({ sid }) => sid),
        before.map(({ sid }) => sid),
      );
    }
  }),
);

/** Every route of a server except those of CORS, from its tree of paths. */
function routesOf(app: FastifyInstance): { readonly method: HTTPMethods; readonly url: string }[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] =
        /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
      const depth = indent.length / 4;
      const url = `${depth === 0 ? '' : parents[depth - 1]}${part}`;
      parents[depth] = url;
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'OPTIONS')
        .map((method) => ({ method: method as HTTPMethods, url }));
    });
}

t.test(
  '200 parallel page loads with an expired cookie refresh to one generation, and nobody is signed out',
  (t) =>
    eachService(t, async (t, { sealed }) => {
      const { cookie, accessToken } = await visitor(sealed);
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => send(sealed, 'POST', '/refresh', { cookie })),
      );
      t.strictSame([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
      const users = await Promise.all(answers.map((answer) => seen(sealed, pageOf(answer))));
      t.strictSame([...new Set(users)], [ANN]);
      const generations = answers.map((answer) => {
        const reading = sealed.app.tokens.access.read(answer.json().accessToken);
        return reading.ok ? reading.claims.gen : 0;
      });
      t.strictSame([...new Set(generations)], [generations[0]]);
      t.ok(Number(generations[0]) <= 2, 'at most one step');
      t.equal(
        (await send(sealed, 'GET', '/profile', { authorization: `Bearer ${accessToken}` })).statusCode,
        200,
      );
    }),
);

t.test('the page of /refresh/continue leads to an allowed origin only, and to the login page', (t) =>
  eachService(t, async (t, { sealed }) => {
    const load = async (to: string) => {
      const answer = await send(sealed, 'GET', `/refresh/continue?to=${encodeURIComponent(to)}`, {});
      const data = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(answer.body)?.[1];
      return { answer, to: data('to'), login: data('login') };
    };
    const { answer, to, login } = await load('/orders?a=1&b="><script>');
    t.equal(answer.statusCode, 200);
    t.equal(to, `${PUBLIC_URL}/orders?a=1&amp;b=%22%3E%3Cscript%3E`);
    t.equal(login, `${PUBLIC_URL}/sign-in?to=%2Forders%3Fa%3D1%26b%3D%2522%253E%253Cscript%253E`);
    t.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
    t.match(answer.headers['cache-control'], /no-store/);
    const policy = String(answer.headers['content-security-policy']);
    t.match(policy, /^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-/);
    t.notMatch(policy, /unsafe/);
    t.equal((await load('//evil.example/')).to, `${PUBLIC_URL}/`);
    t.equal((await load('/sign-in?x=1')).login, '', 'the login page leads nowhere else');
    const repeated = await send(sealed, 'GET', '/refresh/continue?to=/a&to=//evil.example', {});
    t.notMatch(repeated.body, /data-to="(?!https:\/\/example\.com\/)/);
  }),
);
