// Lets the pages of one origin call the service and read its answers.

import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const PREFLIGHT_SECONDS = 600;

async function allowOrigin(app: FastifyInstance, { origin }: { readonly origin: string }): Promise<void> {
  await app.register(cors, {
    // A list, because with a text the plugin sends neither Vary nor nothing to other origins.
    origin: [origin],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Accept-Language'],
    exposedHeaders: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
    maxAge: PREFLIGHT_SECONDS,
    // The strict answer to an OPTIONS request that is no preflight is plain text without a code.
    strictPreflight: false,
  });
}

/** CORS as in decisions 3.5; it blocks nothing by itself, `origin-check` does. */
export default fp(allowOrigin, { name: 'tollgate-cross-origin', fastify: '5.x' });
