// GET /sessions: the user's live sessions.

import { SessionsBody } from '@tollgate/shared/schemas';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import { sessionEntry } from '../../domain/session-entry.js';
import { sessionsOf } from '../../plugins/dependencies.js';

/** @param options.requireBearer the hook that requires a valid bearer token, within its rate limits */
export default async function listSessions(
  app: FastifyInstance,
  { requireBearer }: { requireBearer: RequireBearer },
): Promise<void> {
  app.get(
    '/sessions',
    {
      onRequest: requireBearer,
      config: { limited: true },
      schema: {
        operationId: 'listSessions',
        summary: "List the logged-in user's sessions, the most recently used first",
        security: [{ bearer: [] }],
        response: { 200: SessionsBody },
      },
    },
    async (request): Promise<SessionsBody> => {
      const { id: uid, sid } = bearerOf(request);
      const listed = await sessionsOf(request).list(uid);
      return { sessions: listed.map((session) => sessionEntry(session, sid)) };
    },
  );
}
