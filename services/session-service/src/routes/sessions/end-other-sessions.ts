// DELETE /sessions: ends every session of the user except the current one.

import { Type } from '@sinclair/typebox';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance } from 'fastify';

export default async function endOtherSessions(app: FastifyInstance): Promise<void> {
  app.delete(
    '/sessions',
    {
      onRequest: app.requireLimitedBearer,
      config: { limited: true },
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
