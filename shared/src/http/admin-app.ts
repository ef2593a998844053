// The admin listener of a service: health, and whatever a service puts beside it.

import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import errorHandler from './error-handler.js';
import healthRoutes, { type HealthOptions } from './health.js';
import jsonBodies from './json-bodies.js';
import responseHeaders from './response-headers.js';
import { serverOptions } from './server-options.js';

/** What the admin listener is made of. */
export interface AdminOptions extends HealthOptions {
  readonly logger: FastifyBaseLogger;
  readonly publicUrl: string;
}

/** The admin application; never routed to from outside. */
export async function buildAdminApp(options: AdminOptions): Promise<FastifyInstance> {
  const { logger, publicUrl, ...health } = options;
  const app = Fastify(serverOptions({ logger, publicUrl })) as FastifyInstance;
  await app.register(responseHeaders, { publicUrl });
  await app.register(errorHandler);
  await app.register(jsonBodies);
  await app.register(healthRoutes, health);
  return app;
}
