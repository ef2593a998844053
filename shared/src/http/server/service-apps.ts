// Builds the two applications of a service, public and admin, with everything that comes before the service's own routes.

import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { limitFactors } from '../../config/limit-ranges.js';
import type { KeyRing } from '../../crypto/key-ring.js';
import type { Store } from '../../store/open-store.js';
import type { RequestCounter } from '../../store/request-counter.js';
import errorHandler from '../errors/error-handler.js';
import healthRoutes, { type HealthOptions, type HealthState, servingRoute } from '../observability/health.js';
import { type RequestObserver, requestMetrics } from '../observability/metrics.js';
import crossOrigin, { type CrossOriginOptions } from './cross-origin.js';
import jsonBodies from './json-bodies.js';
import methods from './methods.js';
import openapi, { type OpenApiOptions } from './openapi.js';
import rateLimit, { byAddress } from './rate-limit.js';
import redisClients from './redis-clients.js';
import { responseHeaders, TEST_MODE_HEADERS, writeTimeout } from './responses.js';
import { forwardedHeaders, serverOptions } from './server-options.js';

/** Options of both applications. */
interface AppOptions {
  readonly logger: FastifyBaseLogger;
  readonly publicUrl: string;
  /** Whether the challenges are in test mode, which every response tells. */
  readonly isTestMode?: boolean;
  /** The OpenAPI description of all routes of the listener. */
  readonly description: OpenApiOptions;
  /** Called for each finished request, for metrics. */
  readonly observe?: RequestObserver;
}

/** The options of the public application. */
interface PublicAppOptions extends AppOptions {
  /** Whether the service stops, and its listeners end their connections. */
  readonly state?: HealthState | undefined;
  /** Addresses and CIDR ranges of the trusted proxies; none by default. */
  readonly trustProxy?: readonly string[] | undefined;
  readonly crossOrigin: CrossOriginOptions;
  /** The keys of `CHALLENGE_SECRET`, for the pseudonyms of counted addresses. */
  readonly ring: KeyRing;
  /** Counts requests on the store. */
  readonly countRequest: RequestCounter;
  /** The elements of `RATE_LIMIT_RANGES`. */
  readonly limitRanges?: readonly string[] | undefined;
  /** The stores whose clients are available to plugins as `app.redis.NAME`. */
  readonly redis: Readonly<Record<string, Store>>;
}

/** The options of the admin application. */
export interface AdminOptions extends AppOptions, HealthOptions {}

/** Builds the application for the public port: limits by address, CORS, and `GET /health/serving`. */
export async function buildPublicApp(options: PublicAppOptions): Promise<FastifyInstance> {
  const { logger, trustProxy, state, description, observe } = options;
  const headers = headersOf(options);
  const app = Fastify(serverOptions({ logger, trustProxy, state, ...headers })) as FastifyInstance;
  if (observe !== undefined) await app.register(requestMetrics, { observe });
  await app.register(responseHeaders, headers);
  await app.register(writeTimeout);
  await app.register(forwardedHeaders, { trustProxy });
  await app.register(errorHandler);
  await app.register(crossOrigin, options.crossOrigin);
  await app.register(methods);
  await app.register(jsonBodies);
  await app.register(openapi, description);
  await app.register(rateLimit, {
    addressOf: byAddress(options.ring),
    count: options.countRequest,
    factorOf: limitFactors(options.limitRanges),
  });
  await app.register(redisClients, { stores: options.redis });
  await app.register(servingRoute, { state, hide: true });
  return app;
}

/** Builds the application for the admin port, which the gateway never routes to: health. */
export async function buildAdminApp(options: AdminOptions): Promise<FastifyInstance> {
  const { logger, description, observe, state } = options;
  const headers = headersOf(options);
  const app = Fastify(serverOptions({ logger, state, ...headers })) as FastifyInstance;
  if (observe !== undefined) await app.register(requestMetrics, { observe });
  await app.register(responseHeaders, headers);
  await app.register(writeTimeout);
  await app.register(errorHandler);
  await app.register(methods);
  await app.register(jsonBodies);
  await app.register(openapi, description);
  await app.register(healthRoutes, options);
  return app;
}

function headersOf({ publicUrl, isTestMode = false }: AppOptions) {
  return { publicUrl, ...(isTestMode && { extra: TEST_MODE_HEADERS }) };
}
