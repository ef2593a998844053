// GET /sessions/revoked on the admin port: the sessions that have ended, for services that verify tokens themselves.

import { RevokedSessionsBody, RevokedSessionsQuery } from '@tollgate/shared/schemas/revoked-sessions.js';
import type { FastifyInstance } from 'fastify';

const PAGE_ENTRIES = 100;
/** The position before the first entry of the log. */
const LOG_START = '0';

/** Must be registered in a scope that requires the API key. */
export default async function listRevoked(app: FastifyInstance): Promise<void> {
  app.get<{ Querystring: RevokedSessionsQuery }>(
    '/sessions/revoked',
    {
      schema: {
        operationId: 'listRevokedSessions',
        summary: 'The ended sessions whose access tokens must be refused, the oldest first',
        security: [{ apiKey: [] }],
        querystring: RevokedSessionsQuery,
        response: { 200: RevokedSessionsBody },
      },
    },
    async (request): Promise<RevokedSessionsBody> => {
      const { since = LOG_START, limit = PAGE_ENTRIES } = request.query;
      const { entries, position, complete } = await app.stores.revocationLog.readAfter(since, Number(limit));
      const sessions = entries.flatMap(({ sids, atMs, keepMs }) =>
        sids.map((sid) => ({ sid, until: Math.ceil((atMs + keepMs) / 1000) })),
      );
      return { sessions, cursor: position, complete };
    },
  );
}
