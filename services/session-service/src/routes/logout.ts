// POST /logout: ends the session of the bearer.

import { Type } from '@sinclair/typebox';
import { bearerOf } from '@tollgate/shared/http/bearer.js';
import { limitTo } from '@tollgate/shared/http/rate-limit.js';
import type { FastifyInstance } from 'fastify';

/** @param options.limitPerMinute requests per minute and address */
export default async function logout(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.post(
    '/logout',
    {
      onRequest: [app.refuseForeignOrigins, app.requireBearer],
      config: { rateLimit: limitTo({ name: 'session', max: limitPerMinute }) },
      schema: {
        summary: 'End the session of this access token and clear the refresh cookie',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid } = bearerOf(request);
      await app.endSession(request, 'logout', { uid, sid });
      app.audit(request, 'logout', { uid, sid });
      app.refreshCookie.clear(reply);
      return reply.code(204).send();
    },
  );
}
