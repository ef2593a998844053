// An application that verifies bearers by itself; it stops when its parent goes.

import bearerGuard from '@tollgate/shared/http/tokens/bearer-guard.js';
import { closeStore, openStore } from '@tollgate/shared/store/open-store.js';
import Fastify from 'fastify';

const { ACCESS_SECRET = '', ACCESS_KEYS = '', STORE_URL } = process.env;
const app = Fastify();
const store = STORE_URL === undefined ? undefined : openStore(STORE_URL, '.');
app.addHook('onClose', async () => {
  if (store !== undefined) await closeStore(store);
});
await app.register(bearerGuard, {
  accessSecret: ACCESS_SECRET,
  accessKeys: ACCESS_KEYS,
  ...(store === undefined ? {} : { store }),
});
app.get('/', { onRequest: app.requireBearer }, async () => 'x');
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.once('disconnect', () => app.close());
process.send?.(address);
