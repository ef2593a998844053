// Limits the requests of a bearer, and how often an address may present an invalid one.

import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { createSessionLimit } from './session-limit.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * An `onRequest` hook: `requireBearer` and rate limits. A valid bearer counts by session and address, a refused one by
     * address alone, which never affects requests with a valid one.
     * @throws TokenInvalid, SessionRevoked; RateLimited beyond the limit
     */
    requireLimitedBearer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  }
}

/** @param options.limitPerMinute requests per minute, session and address, on all routes together; as many refused ones */
async function bearerLimit(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  const { countAddress, countSession, countRejected } = createSessionLimit(app, 'session', limitPerMinute);
  app.decorate('requireLimitedBearer', async (request, reply) => {
    await countAddress(request, reply);
    try {
      await app.requireBearer(request, reply);
    } catch (refusal) {
      await countRejected(request, reply);
      throw refusal;
    }
    await countSession(request, reply, bearerOf(request).sid);
    return undefined;
  });
}

/** Decorates the server with `requireLimitedBearer`. */
export default fp(bearerLimit, {
  name: 'tollgate-bearer-limit',
  fastify: '5.x',
  dependencies: ['tollgate-bearer', 'tollgate-rate-limit', 'tollgate-errors'],
});
