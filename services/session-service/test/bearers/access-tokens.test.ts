// Access tokens: both formats at every route, their public keys, and their longest lifetime.

import { createSigningKey, openSigningKeys } from '@tollgate/shared/crypto';
import { openKeyRecord } from '@tollgate/shared/store';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import {
  API_KEY,
  type Held,
  logIn,
  PUBLIC_URL,
  refresh,
  SECRETS,
  type SessionNode,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const KEYS = { ES256: createSigningKey('ES256'), EdDSA: createSigningKey('EdDSA') };
const ES256 = { ACCESS_TOKEN_FORMAT: 'public', ACCESS_SIGNING_KEYS: KEYS.ES256, ACCESS_SECRET: '' };
const SERVED = [200, 200, 204, 404];
const REFUSED = [401, 401, 401, 401];
const URL = '/.well-known/jwks.json';
const LIST = [createSigningKey('ES256'), createSigningKey('EdDSA')].join(',');

// Both formats are equivalent at every route, and a format change rejects no token.

const FORMATS = {
  sealed: {},
  'public, ES256': ES256,
  'public, EdDSA': { ...ES256, ACCESS_SIGNING_KEYS: KEYS.EdDSA },
};

const bearerOnly = (accessToken: string): Held => ({ accessToken, cookie: '' });

async function introspect({ admin }: SessionNode, token: string): Promise<Record<string, unknown>> {
  const answer = await admin.inject({
    method: 'POST',
    url: '/introspect',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token }).toString(),
  });
  return answer.json();
}

/** The statuses of every route that accepts a bearer. */
async function statuses(node: SessionNode, held: Held): Promise<number[]> {
  const routes = [
    ['GET', '/profile'],
    ['GET', '/sessions'],
    ['HEAD', '/verify'],
    ['DELETE', '/sessions/AAAAAAAAAAAAAAAAAAAAAA'],
  ] as const;
  const answers = routes.map(async ([method, url]) => (await withBearer(node, method, url, held)).statusCode);
  return Promise.all(answers);
}

async function testRoutes(t: Test, here: SessionNode, there: SessionNode): Promise<void> {
  const held = await logIn(here, ANN);
  const sid = await sessionIdOf(there, held);
  t.strictSame(await statuses(here, held), SERVED);
  t.strictSame(await statuses(there, held), SERVED, 'another node needs no more than the keys');
  t.strictSame((await withBearer(there, 'GET', '/profile', held)).json(), { id: 1, email: ANN });
  t.match((await withBearer(there, 'GET', '/verify', held)).headers, {
    'x-auth-user-id': '1',
    'x-auth-user-email': ANN,
    'x-auth-session-id': sid,
  });
  const { iat, exp, auth_time, ...described } = await introspect(there, held.accessToken);
  t.strictSame(described, { active: true, sub: '1', email: ANN, sid, token_type: 'Bearer', amr: ['pwd'] });
  t.equal(auth_time, iat);
  t.equal(Number(exp) - Number(iat), 900);

  const reading = here.app.tokens.access.read(held.accessToken);
  if (!reading.ok) throw new Error('the token of a login is right');
  for (const changes of [{ exp: reading.claims.iat + 901 }, { exp: reading.claims.iat - 60 }]) {
    const token = here.app.tokens.access.issue({ ...reading.claims, ...changes });
    t.strictSame(await statuses(here, bearerOnly(token)), REFUSED, JSON.stringify(changes));
    t.strictSame(await introspect(here, token), { active: false });
  }
  const refreshToken = held.cookie.slice(held.cookie.indexOf('=') + 1);
  t.strictSame(await statuses(here, bearerOnly(refreshToken)), REFUSED, 'a refresh token is no bearer');
  const asCookie = { cookie: `refreshToken=${held.accessToken}` };
  const refused = await here.app.inject({ method: 'POST', url: '/refresh', headers: asCookie });
  t.equal(refused.json().code, 'token_invalid', 'nor the other way round');

  const refreshed = await refresh(there, held);
  t.equal(refreshed.statusCode, 200);
  const next = bearerOnly(refreshed.json().accessToken);
  t.strictSame(await statuses(here, next), SERVED);
  const other = await logIn(here, ANN);
  t.equal((await withBearer(here, 'POST', '/logout', next)).statusCode, 204);
  t.strictSame(await statuses(here, held), REFUSED);
  t.equal((await withBearer(here, 'GET', '/profile', held)).json().code, 'session_revoked');
  await until(async () => (await withBearer(there, 'GET', '/profile', held)).statusCode === 401);
  t.strictSame(await introspect(here, held.accessToken), { active: false });
  t.strictSame(await statuses(there, other), SERVED);
}

t.test('every route treats tokens in both formats alike', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    for (const [name, env] of Object.entries(FORMATS)) {
      await t.test(name, async (t) => {
        const here = await startNode(t, { store, directory, env });
        await testRoutes(t, here, await startNode(t, { store, directory, env }));
      });
    }
  });
});

t.test('the format changes, and changes back, node by node without a rejected token', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const both = { ACCESS_SIGNING_KEYS: KEYS.ES256 };
    const stages = [
      {},
      both,
      { ...both, ACCESS_TOKEN_FORMAT: 'public' },
      ES256,
      { ...both, ACCESS_TOKEN_FORMAT: 'public' },
      both,
    ];
    const nodes: SessionNode[] = [];
    for (const env of stages) nodes.push(await startNode(t, { store, directory, env }));
    const holders: Held[] = [];
    for (const node of nodes) holders.push(await logIn(node, ANN));
    t.strictSame(
      holders.map(({ accessToken }) => accessToken.split('.').length),
      [1, 1, 3, 3, 3, 1],
    );
    for (let at = 1; at < nodes.length; at++) {
      for (const [node, held] of [
        [nodes[at - 1], holders[at]],
        [nodes[at], holders[at - 1]],
      ] as [SessionNode, Held][]) {
        t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200, `stages ${at - 1}, ${at}`);
      }
    }
    const [first, , , last] = nodes as [SessionNode, SessionNode, SessionNode, SessionNode];
    t.equal((await withBearer(last, 'GET', '/profile', holders[0] as Held)).statusCode, 401);
    t.equal((await withBearer(first, 'GET', '/profile', holders[3] as Held)).statusCode, 401);
  });
});

t.test('a token with another audience or issuer is rejected under the same keys', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const start = (env: Record<string, string>) =>
      startNode(t, { store, directory, env: { ...ES256, ...env } });
    const node = await start({});
    const held = await logIn(node, ANN);
    const claims = JSON.parse(Buffer.from(held.accessToken.split('.')[1] ?? '', 'base64url').toString());
    t.match(claims, { iss: PUBLIC_URL, aud: PUBLIC_URL, sub: '1', client_id: 'tollgate' }, 'the defaults');
    for (const env of [
      { ACCESS_TOKEN_ISSUER: 'https://other.example' },
      { ACCESS_TOKEN_AUDIENCE: 'https://other.example' },
    ]) {
      const other = await start(env);
      t.strictSame(await statuses(other, held), REFUSED);
      t.strictSame(await statuses(node, await logIn(other, ANN)), REFUSED);
    }
    const several = await start({ ACCESS_TOKEN_AUDIENCE: `https://other.example, ${PUBLIC_URL}` });
    t.strictSame(await statuses(several, held), SERVED);
    t.strictSame(await statuses(node, await logIn(several, ANN)), SERVED);
  });
});

t.test('metrics count public tokens under the signing key', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const env = { ...ES256, ACCESS_SECRET: SECRETS.ACCESS_SECRET };
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN), env });
    await logIn(node, ANN);
    const jwks = (await node.app.inject({ url: '/.well-known/jwks.json' })).json();
    const metrics = (await node.admin.inject({ url: '/metrics' })).body;
    t.match(metrics, `tollgate_tokens_made_total{kind="access",key="${jwks.keys[0].kid}"} 1\n`);
  });
});

// GET /.well-known/jwks.json: the public keys, their caching, and other methods.

async function nodeWith(t: Test, env: Readonly<Record<string, string>>) {
  const { store } = embeddedStore(t);
  const { app } = await startNode(t, { store, directory: await userDirectory(t), env });
  return (url = URL, headers = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    app.inject({ method, url, headers });
}

t.test('every key is published with its public part, in either format, and may be cached', async (t) => {
  const keys = openSigningKeys(LIST).all;
  for (const ACCESS_TOKEN_FORMAT of ['sealed', 'public']) {
    const get = await nodeWith(t, { ACCESS_SIGNING_KEYS: LIST, ACCESS_TOKEN_FORMAT });
    const answer = await get();
    t.equal(answer.statusCode, 200);
    t.match(answer.headers, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      etag: /^"[A-Za-z0-9_-]{43}"$/,
      'x-content-type-options': 'nosniff',
    });
    t.strictSame(
      answer
        .json()
        .keys.map(({ kid, alg, use, kty, crv }: Record<string, string>) => [kid, alg, use, kty, crv]),
      [
        [keys[0]?.id, 'ES256', 'sig', 'EC', 'P-256'],
        [keys[1]?.id, 'EdDSA', 'sig', 'OKP', 'Ed25519'],
      ],
    );
    t.strictSame(Object.keys(answer.json().keys[1]), ['kty', 'crv', 'x', 'kid', 'alg', 'use']);
    for (const element of LIST.split(',')) t.notMatch(answer.body, element.split(':')[1]);
  }
});

t.test('a client with current keys gets 304', async (t) => {
  const get = await nodeWith(t, { ACCESS_SIGNING_KEYS: LIST });
  const { etag } = (await get()).headers;
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get(URL, { 'if-none-match': tag });
    t.equal(answer.statusCode, 304);
    t.equal(answer.body, '');
    t.match(answer.headers, { etag, 'cache-control': 'public, max-age=300' });
  }
  for (const tag of ['"other"', 'x', '', String(etag).slice(1, -1), '"'.repeat(5000)]) {
    t.equal((await get(URL, { 'if-none-match': tag })).statusCode, 200, tag.slice(0, 20));
  }
  const head = await get(URL, {}, 'HEAD');
  t.equal(head.statusCode, 200);
  t.equal(head.headers.etag, etag);
  const other = await nodeWith(t, { ACCESS_SIGNING_KEYS: createSigningKey('ES256') });
  t.not((await other()).headers.etag, etag);
});

t.test('without signing keys the set is empty, and nothing else is served', async (t) => {
  const get = await nodeWith(t, {});
  t.strictSame((await get()).json(), { keys: [] });
  t.equal((await get('/.well-known/jwks.json?x=%00&keys[]=1')).statusCode, 200, 'queries are ignored');
  for (const url of [
    '/.well-known',
    '/.well-known/',
    `${URL}/`,
    '/.well-known/openid-configuration',
    '/jwks.json',
  ]) {
    const answer = await get(url);
    t.equal(answer.statusCode, 404, url);
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  const posted = await get(URL, {}, 'POST');
  t.match([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS']);
});

t.test('key requests have their own limit', async (t) => {
  const get = await nodeWith(t, { RATE_LIMIT_SESSION: '3' });
  for (let count = 0; count < 3; count++) t.equal((await get()).statusCode, 200);
  const refused = await get();
  t.equal(refused.statusCode, 429);
  t.equal(refused.json().code, 'rate_limited');
  t.equal(refused.headers['cache-control'], 'no-store');
});

// The maximum lifetime of an access token, also while ACCESS_TTL changes.

t.test('a token with a lifetime of ten days, or issued tomorrow, is rejected everywhere', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
    const held = await logIn(node, ANN);
    const reading = node.app.tokens.access.read(held.accessToken);
    if (!reading.ok) throw new Error('the token of a login is right');
    const { claims } = reading;
    const forged = (changes: object) => node.app.tokens.access.issue({ ...claims, ...changes });
    t.equal(await status(node, forged({})), 200);
    for (const changes of [
      { exp: claims.iat + 901 },
      { exp: claims.iat + 864_000 },
      { iat: claims.iat + 86_400, exp: claims.iat + 86_700 },
    ]) {
      const accessToken = forged(changes);
      t.equal(await status(node, accessToken), 401, JSON.stringify(changes));
      t.equal(await status(node, accessToken, '/verify'), 401);
      const introspected = await node.admin.inject({
        method: 'POST',
        url: '/introspect',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ token: accessToken }).toString(),
      });
      t.strictSame(introspected.json(), { active: false });
    }
  });
});

t.test('while ACCESS_TTL changes, nodes accept each other’s tokens', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const nodes: SessionNode[] = [];
    for (const seconds of [300, 900]) {
      // As server.ts reports at its start.
      const lifetimes = { access: seconds };
      await openKeyRecord(store).report(String(seconds), { makes: true, ids: {}, lifetimes }, true);
      nodes.push(await startNode(t, { store, directory, env: { ACCESS_TTL: String(seconds) } }));
    }
    for (const from of nodes) {
      const { accessToken } = await logIn(from, ANN);
      for (const to of nodes) t.equal(await status(to, accessToken), 200);
    }
  });
});

async function status(node: SessionNode, accessToken: string, url = '/profile'): Promise<number> {
  const answer = await withBearer(node, 'GET', url, { accessToken, cookie: '' });
  return url === '/verify' && answer.statusCode === 204 ? 200 : answer.statusCode;
}
