// Listeners: pages of other origins, and clients that do not read.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import type { FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { logIn, PUBLIC_URL, startNode, userDirectory } from './support/session-node.js';
import { codeFor, exchange } from './support/sign-in-codes.js';

const ANN = 'ann@example.com';
const ORIGIN = 'https://app.example.com';
const ALWAYS = 'Authorization, Content-Type, Accept-Language, Refresh-Proof';

// Requests from foreign origins at every route that changes state.

/** A page whose referrer policy hides its origin. */
const HIDDEN = { origin: 'null', 'sec-fetch-site': 'same-origin' };

async function openNode(t: Test) {
  const { store } = embeddedStore(t);
  return startNode(t, { store, directory: await userDirectory(t, ANN) });
}

t.test('every documented route that may change state rejects a foreign origin', async (t) => {
  const node = await openNode(t);
  const { accessToken, cookie } = await logIn(node, ANN);
  const { paths } = (await node.app.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const routes = Object.entries(paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => [method.toUpperCase(), path] as const))
    .filter(([method]) => !['GET', 'HEAD', 'OPTIONS'].includes(method));
  t.ok(routes.length >= 12, `${routes.length} routes`);
  for (const [method, path] of routes) {
    for (const source of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const answer = await node.app.inject({
        method: method as 'POST',
        url: path.replace(/\{[^}]+\}/, 'A'.repeat(22)),
        headers: { authorization: `Bearer ${accessToken}`, cookie, ...source },
      });
      t.match(answer, { statusCode: 403 }, `${method} ${path} ${JSON.stringify(source)}`);
      t.equal(answer.json().code, 'origin_refused');
    }
  }
  const headers = { authorization: `Bearer ${accessToken}`, origin: 'https://evil.example' };
  t.equal(
    (await node.app.inject({ url: '/profile', headers })).statusCode,
    200,
    'reading is for CORS to decide',
  );
  t.equal((await node.app.inject({ method: 'POST', url: '/nowhere', headers })).statusCode, 404);
});

t.test('a page on the service with a hidden origin can refresh and exchange its code', async (t) => {
  const node = await openNode(t);
  const { cookie } = await logIn(node, ANN);
  const refreshed = await node.app.inject({
    method: 'POST',
    url: '/refresh',
    headers: { cookie, ...HIDDEN },
  });
  t.equal(refreshed.statusCode, 200);
  const code = await codeFor(node, 1);
  t.equal((await exchange(node, { code }, { ...HIDDEN, 'sec-fetch-site': 'cross-site' })).statusCode, 403);
  t.equal((await exchange(node, { code }, HIDDEN)).statusCode, 200, `a code for ${PUBLIC_URL}`);
});

// Request headers allowed for pages of another origin.

t.test("a page may send its framework's headers if they are configured", async (t) => {
  const allowed = async (env: Record<string, string>) => {
    const { store } = embeddedStore(t);
    const directory = await userDirectory(t);
    return preflight((await startNode(t, { store, directory, env: { CORS_ORIGIN: ORIGIN, ...env } })).app);
  };
  t.equal(await allowed({}), ALWAYS);
  t.equal(
    await allowed({ CORS_HEADERS: 'X-Requested-With, X-CSRF-Token' }),
    `${ALWAYS}, X-Requested-With, X-CSRF-Token`,
  );
});

async function preflight(app: FastifyInstance): Promise<unknown> {
  const { headers } = await app.inject({
    method: 'OPTIONS',
    url: '/refresh',
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
  });
  return headers['access-control-allow-headers'];
}

// Connections of clients that do not read are closed.

t.test('clients that never read are disconnected on both listeners', async (t) => {
  const { store } = embeddedStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t) });
  t.ok(node.app.hasPlugin('tollgate-write-timeout'));
  t.ok(node.admin.hasPlugin('tollgate-write-timeout'));
});
