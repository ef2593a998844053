// CORS: lets the pages of one origin call the service and read its answers.

import type { FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { appendVary } from './response-headers.js';

const PREFLIGHT_SECONDS = 600;

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Accept-Language'];

const READABLE_HEADERS = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The options of the plugin. */
export interface CrossOriginOptions {
  /** The origin whose pages may call, as browsers send it. */
  readonly origin: string;
  /** Further request headers that those pages may send. */
  readonly headers?: readonly string[] | undefined;
}

async function allowOrigin(
  app: FastifyInstance,
  { origin, headers = [] }: CrossOriginOptions,
): Promise<void> {
  const readable = READABLE_HEADERS.join(', ');
  const preflight = {
    'access-control-allow-methods': METHODS.join(', '),
    'access-control-allow-headers': [...REQUEST_HEADERS, ...headers].join(', '),
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    'content-length': '0',
  };
  const allow = (reply: FastifyReply, requestOrigin: string | undefined) => {
    appendVary(reply, 'Origin');
    if (requestOrigin === origin) reply.header('access-control-allow-origin', origin);
    reply.header('access-control-allow-credentials', 'true');
    reply.header('access-control-expose-headers', readable);
  };

  app.addHook('onRequest', (request, reply, done) => {
    allow(reply, request.headers.origin);
    // Before any other hook: a preflight carries no credentials.
    if (request.method === 'OPTIONS') reply.code(204).headers(preflight).send();
    else done();
  });
  // Every path has this method, so that the hook runs.
  app.options('*', { schema: { hide: true } }, async (_request, reply) => reply.code(204).send());
}

/** Adds the CORS headers. They refuse nothing: requests from other origins are refused by `origin-check`. */
export default fp(allowOrigin, { name: 'tollgate-cross-origin', fastify: '5.x' });
