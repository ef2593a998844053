// GET /profile: an example of a protected endpoint.

import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { ProfileBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';

export default async function profile(app: FastifyInstance): Promise<void> {
  app.get(
    '/profile',
    {
      onRequest: app.requireLimitedBearer,
      config: { limited: true },
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
