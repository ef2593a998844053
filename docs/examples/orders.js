// A service that verifies the bearers of session-service, and rejects those of ended sessions.
import { bearer, bearerGuard, bearerOf } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify({ logger: true });
// ACCESS_SECRET, ACCESS_KEYS (printed by `keys export-access`) and STORE_URL.
await app.register(bearerGuard, { environment: process.env });

app.get('/orders', { onRequest: app.requireBearer }, async (request) => ({
  customer: bearerOf(request).id,
  orders: [],
}));

// Requires a login of the last five minutes; the page asks other users to log in again.
app.get('/invoices', { onRequest: bearer({ maxAuthAge: 300 }) }, async (request) => ({
  customer: bearerOf(request).id,
  invoices: [],
}));

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close());
await app.listen({ port: Number(process.env.PORT ?? 3000) });
