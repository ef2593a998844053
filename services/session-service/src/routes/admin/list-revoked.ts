// GET /sessions/revoked on the admin port: the sessions that have ended, for services that verify tokens themselves.

import { type Static, Type } from '@sinclair/typebox';
import { SessionId } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';

/** Redis rejects a sequence number from 2^64, which has 20 digits; actual ones have a few. */
const CURSOR = '^[0-9]{1,16}(?:-[0-9]{1,19})?$';

/** The query: start position and page size. */
const RevokedSessionsQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        pattern: CURSOR,
        description: 'The `cursor` of the previous response; without it all ended sessions are returned',
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: '^(?:1000|[1-9][0-9]{0,2})$',
        description: 'Maximum entries, 1 to 1000, default 100; sessions that ended together are one entry',
      }),
    ),
  },
  { $id: 'RevokedSessionsQuery' },
);
type RevokedSessionsQuery = Static<typeof RevokedSessionsQuery>;

/** The response. */
const RevokedSessionsBody = Type.Object(
  {
    sessions: Type.Array(
      Type.Object({
        sid: SessionId,
        until: Type.Integer({
          description: 'Reject its access tokens until then, in seconds since 1970; none is valid later',
        }),
      }),
    ),
    cursor: Type.String({ pattern: CURSOR, description: 'Pass it as `since` to get later ends' }),
    complete: Type.Boolean({ description: 'Whether this was the last page at the time' }),
  },
  { $id: 'RevokedSessionsBody' },
);
type RevokedSessionsBody = Static<typeof RevokedSessionsBody>;

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
        summary: 'List ended sessions whose access tokens must be rejected, the oldest first',
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
