// GET /verify: tells a gateway whose request this is, for its forward authentication.

import { Type } from '@sinclair/typebox';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance } from 'fastify';
import { headerText } from '../domain/header-text.js';

/** Not limited: every request of the services behind the gateway passes here. */
export default async function verify(app: FastifyInstance): Promise<void> {
  app.get(
    '/verify',
    {
      exposeHeadRoute: true,
      onRequest: app.requireBearer,
      config: {
        answerHeaders: {
          'X-Auth-User-Id': 'The id of the user',
          'X-Auth-User-Email': 'The e-mail in UTF-8, percent-encoded',
          'X-Auth-Session-Id': 'The session',
        },
      },
      schema: {
        operationId: 'verify',
        summary: 'Whether the access token is valid, and whose it is, in headers',
        security: [{ bearer: [] }],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, email, sid } = bearerOf(request);
      reply.headers({
        'x-auth-user-id': String(id),
        'x-auth-user-email': headerText(email),
        'x-auth-session-id': sid,
      });
      return reply.code(204).send();
    },
  );
}
