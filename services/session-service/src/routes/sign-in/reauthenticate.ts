// POST /reauthenticate: the user of a session proves the password again, for actions that require a recent sign-in.

import { Type } from '@sinclair/typebox';
import { challengeFields } from '@tollgate/shared/schemas/challenge-bodies.js';
import { ReauthenticationBody, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';
import { ownPasswordOptions, proveOwnPassword } from '../../plugins/passwords/own-password.js';

/** @param options.limitPerMinute log-ins and reauthentications per minute and address */
export default async function reauthenticate(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.post<{ Body: ReauthenticationBody }>(
    '/reauthenticate',
    {
      ...ownPasswordOptions(app, limitPerMinute),
      onRequest: app.requireLimitedBearer,
      schema: {
        operationId: 'reauthenticate',
        summary: 'Prove the password again, and get an access token that says when',
        security: [{ bearer: [] }],
        body: Type.Object({ ...ReauthenticationBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request): Promise<TokenBody> =>
      app.reauthenticate(request, await proveOwnPassword(app, request, request.body.password)),
  );
}
