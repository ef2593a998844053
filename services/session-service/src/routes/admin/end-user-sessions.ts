// DELETE /users/:id/sessions on the admin port: ends every session of a user.

import { Type } from '@sinclair/typebox';
import { NotFound, refuse } from '@tollgate/shared/http';
import type { FastifyInstance } from 'fastify';
import { endSessions } from '../../steps/end-sessions.js';
import { UserParams, userIdOf } from './path-user.js';

/** Must be registered in a scope that requires the API key. */
export default async function endUserSessions(app: FastifyInstance): Promise<void> {
  app.delete<{ Params: UserParams }>(
    '/users/:id/sessions',
    {
      schema: {
        operationId: 'endUserSessions',
        summary: 'End every session of a user, such as of a disabled account',
        security: [{ apiKey: [] }],
        params: UserParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const uid = userIdOf(request.params);
      if (uid === undefined) throw refuse(NotFound);
      await endSessions(request, 'admin', uid);
      return reply.code(204).send();
    },
  );
}
