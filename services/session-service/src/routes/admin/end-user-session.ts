// DELETE /users/:id/sessions/:sid on the admin port: ends one session of a user.

import { type Static, Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http';
import { SessionId } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { deviceVoidsOf, sessionsOf } from '../../plugins/dependencies.js';
import { endSession } from '../../steps/end-sessions.js';
import { UserParams, userIdOf } from './path-user.js';

const Params = Type.Object({ ...UserParams.properties, sid: SessionId });

/** Must be registered in a scope that requires the API key. */
export default async function endUserSession(app: FastifyInstance): Promise<void> {
  app.delete<{ Params: Static<typeof Params> }>(
    '/users/:id/sessions/:sid',
    {
      schema: {
        operationId: 'endUserSession',
        summary: 'End one session of a user',
        security: [{ apiKey: [] }],
        params: Params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { sid } = request.params;
      const uid = userIdOf(request.params);
      if (uid === undefined) throw refuse(NotFound);
      // Check the owner first: an entry in the revocation log ends any session, regardless of its user.
      const listed = await sessionsOf(request).list(uid);
      if (!listed.some((session) => session.sid === sid)) throw refuse(NotFound);
      await deviceVoidsOf(request).void(uid);
      const reason = 'admin';
      if (await endSession(request, reason, { uid, sid }))
        app.audit.write(request, 'revoke', { uid, sid, reason });
      return reply.code(204).send();
    },
  );
}
