// Limits how often an address may present an invalid bearer token.

import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * An `onRequest` hook: `requireBearer` with a separate rate limit for refusals, which never affects requests with a
     * valid bearer token.
     * @throws TokenInvalid, SessionRevoked; RateLimited beyond the limit
     */
    requireLimitedBearer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  }
}

/** @param options.limitPerMinute refused bearer tokens per minute and address, on all routes together */
async function bearerLimit(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  const countRefused = app.rateLimit(limitTo({ name: 'refused_bearer', max: limitPerMinute }));
  app.decorate('requireLimitedBearer', async (request, reply) => {
    try {
      return await app.requireBearer(request, reply);
    } catch (refusal) {
      await countRefused.call(app, request, reply);
      throw refusal;
    }
  });
}

/** Decorates the server with `requireLimitedBearer`. */
export default fp(bearerLimit, {
  name: 'tollgate-bearer-limit',
  fastify: '5.x',
  dependencies: ['tollgate-bearer', 'tollgate-rate-limit', 'tollgate-errors'],
});
