// Which listeners end connections whose client does not read.

import { embeddedStore } from '@tollgate/shared/test/stores.js';
import t from 'tap';
import { openDesk } from './host-api/host-api-server.js';

t.test('clients that never read are cut off on both listeners', async (t) => {
  const desk = await openDesk(t, embeddedStore(t).store);
  t.ok(desk.app.hasPlugin('tollgate-write-timeout'));
  t.ok(desk.admin.hasPlugin('tollgate-write-timeout'));
});
