// An application that verifies bearers itself; it stops with its parent process.

import { bearerGuard } from '@tollgate/fastify';
import Fastify from 'fastify';

const app = Fastify();
await app.register(bearerGuard, { environment: process.env });
app.get('/', { onRequest: app.requireBearer }, async () => 'x');
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.once('disconnect', () => app.close());
process.send?.(address);
