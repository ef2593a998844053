// Builds the admin application of a service: health, and the service's own additions.

import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import errorHandler from '../errors/error-handler.js';
import healthRoutes, { type HealthOptions } from '../observability/health.js';
import { type RequestObserver, requestMetrics } from '../observability/metrics.js';
import jsonBodies from './json-bodies.js';
import methods from './methods.js';
import openapi, { type OpenApiOptions } from './openapi.js';
import { responseHeaders, writeTimeout } from './responses.js';
import { serverOptions } from './server-options.js';

/** The options of the admin application. */
export interface AdminOptions extends HealthOptions {
  readonly logger: FastifyBaseLogger;
  readonly publicUrl: string;
  /** The OpenAPI description of all routes of the listener. */
  readonly description: OpenApiOptions;
  /** Further headers of every response, such as that of the test mode. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Called for each finished request, for metrics. */
  readonly observe?: RequestObserver | undefined;
}

/** Builds the application for the admin port, which the gateway never routes to. */
export async function buildAdminApp(options: AdminOptions): Promise<FastifyInstance> {
  const { logger, publicUrl, description, extra, observe, ...health } = options;
  const headers = { publicUrl, ...(extra === undefined ? {} : { extra }) };
  const app = Fastify(serverOptions({ logger, state: health.state, ...headers })) as FastifyInstance;
  if (observe !== undefined) await app.register(requestMetrics, { observe });
  await app.register(responseHeaders, headers);
  await app.register(writeTimeout);
  await app.register(errorHandler);
  await app.register(methods);
  await app.register(jsonBodies);
  await app.register(openapi, description);
  await app.register(healthRoutes, health);
  return app;
}
