// DELETE /sessions/:id: ends one of the user's own sessions.

import { type Static, Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http';
import { SessionId } from '@tollgate/shared/schemas';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import { deviceVoidsOf, sessionsOf } from '../../plugins/dependencies.js';
import { endSession } from '../../steps/end-sessions.js';

const Params = Type.Object({ id: SessionId });

/** @param options.requireBearer the hook that requires a valid bearer token, within its rate limits */
export default async function endOwnSession(
  app: FastifyInstance,
  { requireBearer }: { requireBearer: RequireBearer },
): Promise<void> {
  app.delete<{ Params: Static<typeof Params> }>(
    '/sessions/:id',
    {
      onRequest: requireBearer,
      config: { limited: true },
      schema: {
        operationId: 'endSession',
        summary: "End one of the logged-in user's sessions",
        security: [{ bearer: [] }],
        params: Params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid: currentSid } = bearerOf(request);
      const sid = request.params.id;
      // Check the owner first: an entry in the revocation log ends any session, regardless of its user.
      const own = await sessionsOf(request).list(uid);
      if (!own.some((session) => session.sid === sid)) throw refuse(NotFound);
      if (sid !== currentSid) await deviceVoidsOf(request).void(uid, currentSid);
      const reason = 'revoked';
      if (await endSession(request, reason, { uid, sid }))
        app.audit.write(request, 'revoke', { uid, sid, reason });
      if (sid === currentSid) app.cookies.page?.clear(reply);
      return reply.code(204).send();
    },
  );
}
