// POST /login/code: logs in with an application's code for the user, and starts a session.

import { limitTo, refuse } from '@tollgate/shared/http';
import { LoginCodeBody, TokenBody } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import { CodeInvalid } from '../../errors.js';
import { OFFER_HEADERS } from '../../plugins/binding/device-binding.js';
import { exchangeCode } from '../../steps/exchange-code.js';
import { type SessionSettings, startSession } from '../../steps/start-session.js';

interface LoginCodeOptions {
  readonly limitPerMinute: number;
  readonly publicOrigin: string;
  readonly settings: SessionSettings;
}

/**
 * @param options.limitPerMinute exchanges per minute and address
 * @param options.publicOrigin the origin of `PUBLIC_URL`
 */
export default async function loginCode(
  app: FastifyInstance,
  { limitPerMinute, publicOrigin, settings }: LoginCodeOptions,
): Promise<void> {
  app.post<{ Body: LoginCodeBody }>(
    '/login/code',
    {
      preHandler: app.deviceBinding.refuseMalformed,
      config: {
        rateLimit: limitTo({ name: 'login_code', max: limitPerMinute }),
        responseHeaders: { 'Set-Cookie': 'The refresh token', ...OFFER_HEADERS },
      },
      schema: {
        operationId: 'logInWithCode',
        summary: "Log in with an application's code",
        body: LoginCodeBody,
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const { code, remember } = request.body;
      const signedIn = await exchangeCode(request, code, { publicOrigin });
      if (signedIn === undefined) throw refuse(CodeInvalid);
      return startSession(request, reply, { ...signedIn, remember }, settings);
    },
  );
}
