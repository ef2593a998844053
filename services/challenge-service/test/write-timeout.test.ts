// Both listeners close connections whose client does not read.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openHostApi } from './host-api/host-api-server.js';

t.test('clients that never read are cut off on both listeners', async (t) => {
  const api = await openHostApi(t, embeddedStore(t).store);
  t.ok(api.app.hasPlugin('tollgate-write-timeout'));
  t.ok(api.admin.hasPlugin('tollgate-write-timeout'));
});
