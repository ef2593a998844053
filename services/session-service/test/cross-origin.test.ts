// Request headers allowed for pages of another origin.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import type { FastifyInstance } from 'fastify';
import t from 'tap';
import { startNode, userDirectory } from './support/session-node.js';

const ORIGIN = 'https://app.example.com';
const ALWAYS = 'Authorization, Content-Type, Accept-Language, Refresh-Proof';

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
