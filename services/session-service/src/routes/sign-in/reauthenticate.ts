// POST /reauthenticate: the user of a session proves the password again, for actions that require a recent sign-in.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import { LoginThrottled, refuse } from '@tollgate/shared/http/errors/errors.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { challengeFields } from '@tollgate/shared/schemas/challenge-bodies.js';
import { ReauthenticationBody, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LoginFailed } from '../../errors.js';

/**
 * Costs what a log-in costs, and its failures count for the account as those of a log-in: a stolen access token makes no
 * guess at a password cheaper.
 * @param options.limitPerMinute log-ins and reauthentications per minute and address
 */
export default async function reauthenticate(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.post<{ Body: ReauthenticationBody }>(
    '/reauthenticate',
    {
      onRequest: [app.refuseForeignOrigins, app.requireLimitedBearer],
      attachValidation: true,
      preHandler: app.refuseInvalidForm,
      errorHandler: async (error, request, reply) => {
        if (error instanceof LoginThrottled)
          await app.auditLogIn(request, 'login_throttled', keyOf(request), {});
        return answerError(error, request, reply);
      },
      config: {
        guards: [pow({ key: keyOf, throttle: true })],
        guardsLast: true,
        rateLimit: limitTo({ name: 'login', max: limitPerMinute, shared: true, hook: 'preHandler' }),
      },
      schema: {
        operationId: 'reauthenticate',
        summary: 'Prove the password again, and get an access token that says when',
        security: [{ bearer: [] }],
        body: Type.Object({ ...ReauthenticationBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request): Promise<TokenBody> => {
      const key = keyOf(request);
      const attempt = await request.countAttempt();
      const user = await app.checkPassword(key, request.body.password, attempt);
      // The address may meanwhile belong to another user.
      if (user === undefined || user.id !== bearerOf(request).id) {
        await app.auditLogIn(request, 'login_failed', key, {});
        throw refuse(LoginFailed);
      }
      await attempt.succeeded();
      return app.reauthenticate(request, user);
    },
  );
}

/** The account key of the user of the session. */
function keyOf(request: FastifyRequest): string {
  return accountKey(bearerOf(request).email);
}
