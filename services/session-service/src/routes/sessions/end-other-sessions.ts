// DELETE /sessions: ends every session of the user except the current one.

import { Type } from '@sinclair/typebox';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import { endSessions } from '../../steps/end-sessions.js';

/** @param options.requireBearer the hook that requires a valid bearer token, within its rate limits */
export default async function endOtherSessions(
  app: FastifyInstance,
  { requireBearer }: { requireBearer: RequireBearer },
): Promise<void> {
  app.delete(
    '/sessions',
    {
      onRequest: requireBearer,
      config: { limited: true },
      schema: {
        operationId: 'endOtherSessions',
        summary: "End the logged-in user's other sessions",
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid: currentSid } = bearerOf(request);
      await endSessions(request, 'others_revoked', uid, currentSid);
      return reply.code(204).send();
    },
  );
}
