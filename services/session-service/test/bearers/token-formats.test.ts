// Access tokens in both formats are equivalent at every route, and a format change rejects no token.

import { createSigningKey } from '@tollgate/shared/crypto';
import { eachKind } from '@tollgate/test-support/stores.js';
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

const SERVED = [200, 200, 204, 404];
const REFUSED = [401, 401, 401, 401];

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
