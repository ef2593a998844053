// POST /logout: ends the session of the bearer token.

import { Type } from '@sinclair/typebox';
import { SessionRevoked } from '@tollgate/shared/http';
import { bearerOf, bearerToken, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endRevoked, endSession } from '../../steps/end-sessions.js';

/** @param options.requireBearer the hook that requires a valid bearer token, within its rate limits */
export default async function logout(
  app: FastifyInstance,
  { requireBearer }: { requireBearer: RequireBearer },
): Promise<void> {
  app.post(
    '/logout',
    {
      onRequest: finishingEnd,
      config: {
        limited: true,
        responseHeaders: { 'Set-Cookie': 'Clears the refresh token' },
      },
      schema: {
        operationId: 'logOut',
        summary: 'End the session of this access token and clear the refresh cookie',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id: uid, sid } = bearerOf(request);
      const session = { uid, sid };
      if (await endSession(request, 'logout', session)) app.audit.write(request, 'logout', session);
      app.cookies.refresh.clear(reply);
      app.cookies.page?.clear(reply);
      app.deviceBinding.clear(reply);
      return reply.code(204).send();
    },
  );

  /**
   * Completes an interrupted logout: its bearer token is already revoked, so a repeated request would otherwise be rejected
   * before the remaining step.
   */
  async function finishingEnd(request: FastifyRequest, reply: FastifyReply) {
    try {
      return await requireBearer(request, reply);
    } catch (refusal) {
      // Only within the rate limit, because it reads the store.
      if (refusal instanceof SessionRevoked) await finishEnd(request);
      throw refusal;
    }
  }

  async function finishEnd(request: FastifyRequest): Promise<void> {
    const reading = app.tokens.access.read(bearerToken(request.headers.authorization));
    if (!reading.ok) return;
    const { id: uid, sid } = reading.claims;
    await endRevoked(request, { uid, sid });
  }
}
