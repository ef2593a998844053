// CORS: lets pages of one origin, and on some paths of several, call the service and read its responses.

import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const PREFLIGHT_SECONDS = 600;

const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'Accept-Language'];

/** The headers that pages of several origins may send. */
const PUBLIC_HEADERS = ['Content-Type', 'Accept-Language'];

const ANSWER_HEADERS = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The options of the plugin. */
export interface CrossOriginOptions {
  /** The origin whose pages may call, as browsers send it. */
  readonly origin: string;
  /** Further request headers that those pages may send. */
  readonly headers?: readonly string[] | undefined;
  /** Further response headers that those pages may read. */
  readonly exposed?: readonly string[];
  /**
   * Returns the rule of a path that pages of other origins may call, without credentials; undefined for every other path.
   */
  readonly rulesOf?: ((url: string) => OriginRule | undefined) | undefined;
}

/** Whether pages of an origin, as browsers send it, may call a path. */
export type OriginRule = (origin: string) => boolean;

async function allowOrigin(
  app: FastifyInstance,
  { origin, headers = [], exposed = [], rulesOf }: CrossOriginOptions,
): Promise<void> {
  const common = {
    // As text, because the plugin joins a list for each response.
    exposedHeaders: [...ANSWER_HEADERS, ...exposed].join(', '),
    maxAge: PREFLIGHT_SECONDS,
    // A strict plugin responds to an OPTIONS request that is not a preflight with plain text without a code.
    strictPreflight: false,
  };
  const own: FastifyCorsOptions = {
    ...common,
    // A list, because given a string the plugin sends that origin to every origin, and without Vary.
    origin: [origin],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [...REQUEST_HEADERS, ...headers],
  };
  if (rulesOf === undefined) {
    await app.register(cors, own);
    return;
  }
  const open = { ...common, methods: ['GET', 'HEAD', 'POST'], allowedHeaders: PUBLIC_HEADERS };
  await app.register(cors, {
    delegator: (request, done) => {
      const isAllowed = rulesOf(request.url);
      if (isAllowed === undefined) return done(null, own);
      const asked = request.headers.origin;
      done(null, { ...open, origin: asked !== undefined && isAllowed(asked) ? [asked] : [] });
    },
  });
}

/** Adds the CORS headers. They reject nothing: requests from other origins are rejected by `origin-check`. */
export default fp(allowOrigin, { name: 'tollgate-cross-origin', fastify: '5.x' });
