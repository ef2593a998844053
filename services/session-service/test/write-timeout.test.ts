// Listeners close connections of clients that do not read.

import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { startNode, userDirectory } from './support/session-node.js';

t.test('clients that never read are disconnected on both listeners', async (t) => {
  const { store } = embeddedStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t) });
  t.ok(node.app.hasPlugin('tollgate-write-timeout'));
  t.ok(node.admin.hasPlugin('tollgate-write-timeout'));
});
