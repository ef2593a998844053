// What `GET /sessions/revoked` on the admin port takes and answers.

import { type Static, Type } from '@sinclair/typebox';
import { SessionId } from './token-claims.js';

/** Redis refuses a second number from 2^64 on, which has 20 digits; those that it counts have a few. */
const CURSOR = '^[0-9]{1,16}(?:-[0-9]{1,19})?$';

/** The query: where to go on, and how much to answer. */
export const RevokedSessionsQuery = Type.Object(
  {
    since: Type.Optional(
      Type.String({
        pattern: CURSOR,
        description: 'The `cursor` of the answer before; without it all ended sessions are answered',
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: '^(?:1000|[1-9][0-9]{0,2})$',
        description:
          'Entries that are answered at most, 1 to 1000, 100 without it; sessions that ended together are one entry',
      }),
    ),
  },
  { $id: 'RevokedSessionsQuery' },
);
export type RevokedSessionsQuery = Static<typeof RevokedSessionsQuery>;

/** The answer. */
export const RevokedSessionsBody = Type.Object(
  {
    sessions: Type.Array(
      Type.Object({
        sid: SessionId,
        until: Type.Integer({
          description:
            'Seconds since 1970 until which its access tokens must be refused; none is valid later',
        }),
      }),
    ),
    cursor: Type.String({ pattern: CURSOR, description: 'Pass it as `since` to get what ended later' }),
    complete: Type.Boolean({ description: 'Whether there was nothing else when it was answered' }),
  },
  { $id: 'RevokedSessionsBody' },
);
export type RevokedSessionsBody = Static<typeof RevokedSessionsBody>;
