// Both listeners close connections of clients that do not read.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openHostApi } from './host-api/host-api-server.js';

t.test('clients that never read are disconnected on both listeners', async (t) => {
  const api = await openHostApi(t, embeddedStore(t).store);
  t.ok(api.app.hasPlugin('tollgate-write-timeout'));
  t.ok(api.admin.hasPlugin('tollgate-write-timeout'));
});
