// CORS: lets the pages of one origin call the service and read its answers.

import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const PREFLIGHT_SECONDS = 600;

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Accept-Language'];

const ANSWER_HEADERS = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The options of the plugin. */
export interface CrossOriginOptions {
  /** The origin whose pages may call, as browsers send it. */
  readonly origin: string;
  /** Further request headers that those pages may send. */
  readonly headers?: readonly string[] | undefined;
  /** Further headers of answers that those pages may read. */
  readonly exposed?: readonly string[];
}

async function allowOrigin(
  app: FastifyInstance,
  { origin, headers = [], exposed = [] }: CrossOriginOptions,
): Promise<void> {
  await app.register(cors, {
    // A list, because with a text the plugin sends that origin to every origin, and without Vary.
    origin: [origin],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [...REQUEST_HEADERS, ...headers],
    exposedHeaders: [...ANSWER_HEADERS, ...exposed],
    maxAge: PREFLIGHT_SECONDS,
    // A strict plugin answers an OPTIONS request that is not a preflight with plain text without a code.
    strictPreflight: false,
  });
}

/** Adds the CORS headers. They refuse nothing: requests from other origins are refused by `origin-check`. */
export default fp(allowOrigin, { name: 'tollgate-cross-origin', fastify: '5.x' });
