// A server whose parent process triggers the timeout of silent connections.

import Fastify from 'fastify';
import { createLogger } from '../../../../src/http/observability/logger.js';
import { writeTimeout } from '../../../../src/http/server/responses.js';
import { serverOptions } from '../../../../src/http/server/server-options.js';

const options = serverOptions({
  logger: createLogger({ name: 'test', level: 'silent' }),
  publicUrl: 'https://example.com',
});
// Longer than a busy machine needs to open thousands of connections.
const http = { ...options.http, headersTimeout: 60_000, connectionsCheckingInterval: 50 };
const app = Fastify({ ...options, http, requestTimeout: 60_000 });
await app.register(writeTimeout);
app.get('/', async () => {
  const count = await new Promise((resolve, reject) =>
    app.server.getConnections((error, connections) => (error ? reject(error) : resolve(connections))),
  );
  return { connections: count };
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.on('message', () => {
  app.server.headersTimeout = 1;
  app.server.requestTimeout = 1;
});
process.once('disconnect', () => process.exit());
process.send?.(app.server.address());
