// POST /reauthenticate/code: the application has authenticated the user of a session again.

import { refuse } from '@tollgate/shared/http/errors/errors.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { ReauthenticationCodeBody, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';
import { CodeInvalid } from '../../errors.js';

/** @param options.limitPerMinute exchanges per minute and address */
export default async function reauthenticateCode(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.post<{ Body: ReauthenticationCodeBody }>(
    '/reauthenticate/code',
    {
      onRequest: app.requireLimitedBearer,
      config: { rateLimit: limitTo({ name: 'login_code', max: limitPerMinute }) },
      schema: {
        operationId: 'reauthenticateWithCode',
        summary:
          'Present a code of the application for the same user, and get an access token that says when',
        security: [{ bearer: [] }],
        body: ReauthenticationCodeBody,
        response: { 200: TokenBody },
      },
    },
    async (request): Promise<TokenBody> => {
      const exchanged = await app.exchangeCode(request, request.body.code, bearerOf(request).id);
      if (exchanged === undefined) throw refuse(CodeInvalid);
      return app.reauthenticate(request, exchanged.user, exchanged.attributes);
    },
  );
}
