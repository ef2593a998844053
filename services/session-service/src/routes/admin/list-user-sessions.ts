// GET /users/:id/sessions on the admin port: the live sessions of a user.

import { NotFound, refuse } from '@tollgate/shared/http';
import { SessionsBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { sessionEntry } from '../../domain/session-entry.js';
import { sessionsOf } from '../../plugins/dependencies.js';
import { UserParams, userIdOf } from './path-user.js';

/** Must be registered in a scope that requires the API key. */
export default async function listUserSessions(app: FastifyInstance): Promise<void> {
  app.get<{ Params: UserParams }>(
    '/users/:id/sessions',
    {
      schema: {
        operationId: 'listUserSessions',
        summary: "List a user's sessions, the most recently used first; none is `current`",
        security: [{ apiKey: [] }],
        params: UserParams,
        response: { 200: SessionsBody },
      },
    },
    async (request): Promise<SessionsBody> => {
      const uid = userIdOf(request.params);
      if (uid === undefined) throw refuse(NotFound);
      const listed = await sessionsOf(request).list(uid);
      return { sessions: listed.map((session) => sessionEntry(session)) };
    },
  );
}
