// GET /profile: an example of a protected endpoint.

import { ProfileBody } from '@tollgate/shared/schemas';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';

/** @param options.requireBearer the hook that requires a valid bearer token, within its rate limits */
export default async function profile(
  app: FastifyInstance,
  { requireBearer }: { requireBearer: RequireBearer },
): Promise<void> {
  app.get(
    '/profile',
    {
      onRequest: requireBearer,
      config: { limited: true },
      schema: {
        operationId: 'readProfile',
        summary: 'Get the logged-in user',
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
