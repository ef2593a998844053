// Lets the pages of one origin call the service and read its answers.

import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const PREFLIGHT_SECONDS = 600;

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Accept-Language'];

/** Who may call, and with which headers. */
export interface CrossOriginOptions {
  /** The origin whose pages may call, as browsers send it. */
  readonly origin: string;
  /** Names of further request headers that those pages may send. */
  readonly headers?: readonly string[] | undefined;
}

async function allowOrigin(
  app: FastifyInstance,
  { origin, headers = [] }: CrossOriginOptions,
): Promise<void> {
  await app.register(cors, {
    // A list, because with a text the plugin sends neither Vary nor nothing to other origins.
    origin: [origin],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [...REQUEST_HEADERS, ...headers],
    exposedHeaders: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    maxAge: PREFLIGHT_SECONDS,
    // The strict answer to an OPTIONS request that is no preflight is plain text without a code.
    strictPreflight: false,
  });
}

/** CORS as in decisions 3.5; it blocks nothing by itself, `origin-check` does. */
export default fp(allowOrigin, { name: 'tollgate-cross-origin', fastify: '5.x' });
