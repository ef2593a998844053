// GET /profile: an example of a protected endpoint.

import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { ProfileBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';

/** @param options.limitPerMinute requests per minute and address */
export default async function profile(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.get(
    '/profile',
    {
      onRequest: app.requireLimitedBearer,
      config: { rateLimit: limitTo({ name: 'session', max: limitPerMinute }) },
      schema: {
        operationId: 'readProfile',
        summary: 'The signed-in user',
        security: [{ bearer: [] }],
        response: { 200: ProfileBody },
      },
    },
    async (request): Promise<ProfileBody> => {
      const { id, email } = bearerOf(request);
      return { id, email };
    },
  );
}
