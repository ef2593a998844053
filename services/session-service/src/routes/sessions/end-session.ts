// DELETE /sessions/:id: ends one of the user's own sessions.

import { type Static, Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http/errors/errors.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { SessionId } from '@tollgate/shared/schemas/token-claims.js';
import type { FastifyInstance } from 'fastify';

const Params = Type.Object({ id: SessionId });

export default async function endSession(app: FastifyInstance): Promise<void> {
  app.delete<{ Params: Static<typeof Params> }>(
    '/sessions/:id',
    {
      onRequest: app.requireLimitedBearer,
      config: { limited: true },
      schema: {
        operationId: 'endSession',
        summary: "End one of the signed-in user's sessions",
        security: [{ bearer: [] }],
        params: Params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid: currentSid } = bearerOf(request);
      const sid = request.params.id;
      // Check the owner first: an entry in the revocation log ends any session, regardless of its user.
      const own = await request.sessions.list(uid);
      if (!own.some((session) => session.sid === sid)) throw refuse(NotFound);
      if (sid !== currentSid) await request.deviceVoids.void(uid, currentSid);
      const reason = 'revoked';
      if (await app.endSession(request, reason, { uid, sid }))
        app.audit(request, 'revoke', { uid, sid, reason });
      return reply.code(204).send();
    },
  );
}
