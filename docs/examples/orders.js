// A service that verifies the bearers of the session service by itself, and refuses those of ended sessions.
import { readFile } from 'node:fs/promises';
import bearerGuard from '@tollgate/shared/http/tokens/bearer-guard.js';
import { closeStore, openStore } from '@tollgate/shared/store/open-store.js';
import Fastify from 'fastify';

const { ACCESS_SECRET, STORE_URL, PORT = '3000' } = process.env;
// What `keys export-access` has printed.
const accessKeys = await readFile('access-keys.txt', 'utf8');

const app = Fastify({ logger: true });
const store = openStore(STORE_URL, '.');
// Added before the guard, so that it runs after the guard's own: the store is the last to go.
app.addHook('onClose', () => closeStore(store));
await app.register(bearerGuard, { accessSecret: ACCESS_SECRET, accessKeys, store });

app.get('/orders', { onRequest: app.requireBearer }, async ({ bearer }) => ({
  customer: bearer.id,
  orders: [],
}));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
await app.listen({ port: Number(PORT) });
