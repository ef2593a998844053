// POST /reauthenticate/code: exchanges an application's code for a new authentication of a session's user.

import { limitTo, refuse } from '@tollgate/shared/http';
import { ReauthenticationCodeBody, TokenBody } from '@tollgate/shared/schemas';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance } from 'fastify';
import type { TokenLifetimes } from '../../domain/token-pair.js';
import { CodeInvalid } from '../../errors.js';
import { exchangeCode } from '../../steps/exchange-code.js';
import { renewAuthentication } from '../../steps/start-session.js';

interface ReauthenticateCodeOptions {
  readonly limitPerMinute: number;
  readonly publicOrigin: string;
  readonly lifetimes: TokenLifetimes;
  readonly requireBearer: RequireBearer;
}

/**
 * @param options.limitPerMinute exchanges per minute and address
 * @param options.publicOrigin the origin of `PUBLIC_URL`
 */
export default async function reauthenticateCode(
  app: FastifyInstance,
  { limitPerMinute, publicOrigin, lifetimes, requireBearer }: ReauthenticateCodeOptions,
): Promise<void> {
  app.post<{ Body: ReauthenticationCodeBody }>(
    '/reauthenticate/code',
    {
      onRequest: requireBearer,
      config: { rateLimit: limitTo({ name: 'login_code', max: limitPerMinute }) },
      schema: {
        operationId: 'reauthenticateWithCode',
        summary:
          "Reauthenticate with an application's code for the same user, and get an access token with a new `auth_time`",
        security: [{ bearer: [] }],
        body: ReauthenticationCodeBody,
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const terms = { publicOrigin, uid: bearerOf(request).id };
      const exchanged = await exchangeCode(request, request.body.code, terms);
      if (exchanged === undefined) throw refuse(CodeInvalid);
      return renewAuthentication(request, reply, exchanged.user, lifetimes, exchanged.attributes);
    },
  );
}
