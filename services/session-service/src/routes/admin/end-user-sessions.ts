// DELETE /users/:id/sessions on the admin port: ends every session of a user.

import { type Static, Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http/errors/errors.js';
import type { FastifyInstance } from 'fastify';

const Params = Type.Object({ id: Type.String({ pattern: '^[1-9][0-9]{0,15}$' }) });

/** Must be registered in a scope that requires the API key. */
export default async function endUserSessions(app: FastifyInstance): Promise<void> {
  app.delete<{ Params: Static<typeof Params> }>(
    '/users/:id/sessions',
    {
      schema: {
        operationId: 'endUserSessions',
        summary: 'End every session of a user: changed password, disabled account, support',
        security: [{ apiKey: [] }],
        params: Params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const uid = Number(request.params.id);
      if (!Number.isSafeInteger(uid)) throw refuse(NotFound);
      const reason = 'admin';
      const ended = await app.endSessions(request, reason, uid);
      for (const sid of ended) app.audit(request, 'revoke', { uid, sid, reason });
      return reply.code(204).send();
    },
  );
}
