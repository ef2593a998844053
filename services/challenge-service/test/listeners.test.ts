// Listeners: pages of other origins, and clients that do not read.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openNode } from './challenge-node.js';
import { openHostApi } from './host-api/host-api-server.js';

const ORIGIN = 'https://app.example.com';
const ALWAYS = 'Authorization, Content-Type, Accept-Language';

// Request headers allowed for pages of another origin.

t.test("a page may send its framework's headers once they are configured", async (t) => {
  const allowed = async (env: Record<string, string>) => {
    const node = await openNode(t, embeddedStore(t).store, { env: { CORS_ORIGIN: ORIGIN, ...env } });
    const { headers } = await node.inject({
      method: 'OPTIONS',
      url: '/api/captcha/pow',
      headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
    });
    return headers['access-control-allow-headers'];
  };
  t.equal(await allowed({}), ALWAYS);
  t.equal(
    await allowed({ CORS_HEADERS: 'X-Requested-With, X-CSRF-Token' }),
    `${ALWAYS}, X-Requested-With, X-CSRF-Token`,
  );
});

// Connections of clients that do not read are closed.

t.test('clients that never read are disconnected on both listeners', async (t) => {
  const api = await openHostApi(t, embeddedStore(t).store);
  t.ok(api.app.hasPlugin('tollgate-write-timeout'));
  t.ok(api.admin.hasPlugin('tollgate-write-timeout'));
});
