// POST /reauthenticate: the user of a session proves the password again, for actions that require a recent login.

import { Type } from '@sinclair/typebox';
import { challengeFields, ReauthenticationBody, TokenBody } from '@tollgate/shared/schemas';
import type { RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import type { TokenLifetimes } from '../../domain/token-pair.js';
import { ownPasswordOptions, proveOwnPassword } from '../../steps/own-password.js';
import { renewAuthentication } from '../../steps/start-session.js';

interface ReauthenticateOptions {
  readonly limitPerMinute: number;
  readonly lifetimes: TokenLifetimes;
  readonly requireBearer: RequireBearer;
}

/** @param options.limitPerMinute logins and reauthentications per minute and address */
export default async function reauthenticate(
  app: FastifyInstance,
  { limitPerMinute, lifetimes, requireBearer }: ReauthenticateOptions,
): Promise<void> {
  app.post<{ Body: ReauthenticationBody }>(
    '/reauthenticate',
    {
      ...ownPasswordOptions(limitPerMinute),
      onRequest: requireBearer,
      schema: {
        operationId: 'reauthenticate',
        summary: 'Reauthenticate with the password, and get an access token with a new `auth_time`',
        security: [{ bearer: [] }],
        body: Type.Object({ ...ReauthenticationBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const user = await proveOwnPassword(request, request.body.password);
      return renewAuthentication(request, reply, user, lifetimes);
    },
  );
}
