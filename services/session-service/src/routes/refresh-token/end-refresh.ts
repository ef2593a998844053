// DELETE /refresh: ends the session of the refresh cookie, for a client without an access token.

import { Type } from '@sinclair/typebox';
import { readUserId } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import type { SessionLimit } from '../../plugins/session-limit.js';
import { endSession } from '../../steps/end-sessions.js';

/** @param options.limit the limit of refreshes */
export default async function endRefresh(
  app: FastifyInstance,
  { limit }: { limit: SessionLimit },
): Promise<void> {
  app.delete(
    '/refresh',
    {
      onRequest: limit.countAddress,
      config: {
        limited: true,
        responseHeaders: { 'Set-Cookie': 'Clears the refresh token' },
      },
      schema: {
        operationId: 'endRefresh',
        summary: 'End the session of the refresh cookie and clear it',
        // Also allowed without a cookie: then there is nothing to end.
        security: [{ refreshCookie: [] }, {}],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      for (const { sub, sid } of app.cookies.refresh.everySession(request)) {
        await limit.countSession(request, reply, sid);
        const session = { uid: readUserId(sub), sid };
        if (await endSession(request, 'logout', session)) app.audit.write(request, 'logout', session);
      }
      app.cookies.refresh.clear(reply);
      app.cookies.page?.clear(reply);
      app.deviceBinding.clearSent(reply);
      return reply.code(204).send();
    },
  );
}
