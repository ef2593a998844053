// GET /sessions: the user's live sessions.

import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { SessionsBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';
import { sessionEntry } from '../../domain/session-entry.js';

export default async function listSessions(app: FastifyInstance): Promise<void> {
  app.get(
    '/sessions',
    {
      onRequest: app.requireLimitedBearer,
      config: { limited: true },
      schema: {
        operationId: 'listSessions',
        summary: 'The sessions of the signed-in user, the most recently used first',
        security: [{ bearer: [] }],
        response: { 200: SessionsBody },
      },
    },
    async (request): Promise<SessionsBody> => {
      const { id: uid, sid } = bearerOf(request);
      const listed = await request.sessions.list(uid);
      return { sessions: listed.map((session) => sessionEntry(session, sid)) };
    },
  );
}
