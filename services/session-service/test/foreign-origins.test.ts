// The server rejects requests from foreign origins at every route that changes state.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { logIn, PUBLIC_URL, startNode, userDirectory } from './support/session-node.js';
import { codeFor, exchange } from './support/sign-in-codes.js';

const ANN = 'ann@example.com';
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
