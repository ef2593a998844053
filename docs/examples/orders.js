// A service that verifies the bearers of the session service by itself, and refuses those of ended sessions.
import { bearer, bearerGuard, bearerOf } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify({ logger: true });
// ACCESS_SECRET, ACCESS_KEYS (what `keys export-access` prints) and STORE_URL.
await app.register(bearerGuard, { environment: process.env });

app.get('/orders', { onRequest: app.requireBearer }, async (request) => ({
  customer: bearerOf(request).id,
  orders: [],
}));

// Only for users who proved within the last five minutes who they are; the page asks the others to do it again.
app.get('/invoices', { onRequest: bearer({ maxAuthAge: 300 }) }, async (request) => ({
  customer: bearerOf(request).id,
  invoices: [],
}));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
await app.listen({ port: Number(process.env.PORT ?? 3000) });
