// DELETE /sessions: ends every session of the user except the current one.

import { Type } from '@sinclair/typebox';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance } from 'fastify';

/** @param options.limitPerMinute requests per minute and address */
export default async function endOtherSessions(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.delete(
    '/sessions',
    {
      onRequest: app.requireLimitedBearer,
      config: { rateLimit: limitTo({ name: 'session', max: limitPerMinute }) },
      schema: {
        operationId: 'endOtherSessions',
        summary: 'End every session of the signed-in user but the current one',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid: currentSid } = bearerOf(request);
      const reason = 'others_revoked';
      const ended = await app.endSessions(request, reason, uid, currentSid);
      for (const sid of ended) app.audit(request, 'revoke', { uid, sid, reason });
      return reply.code(204).send();
    },
  );
}
