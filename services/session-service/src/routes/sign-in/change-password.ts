// POST /password: the user of a session replaces the password, which ends the user's other sessions.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import { LoginThrottled, refuse } from '@tollgate/shared/http/errors/errors.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import { challengeFields } from '@tollgate/shared/schemas/challenge-bodies.js';
import { PasswordChangeBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LoginFailed } from '../../errors.js';

/**
 * Costs what a log-in costs, and its failures count for the account as those of a log-in: a stolen access token makes no
 * guess at a password cheaper.
 * @param options.limitPerMinute log-ins, reauthentications and changes per minute and address
 */
export default async function changePassword(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  app.post<{ Body: PasswordChangeBody }>(
    '/password',
    {
      onRequest: [app.refuseForeignOrigins, app.requireLimitedBearer, app.requireWritablePasswords],
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
        operationId: 'changePassword',
        summary: 'Replace the password, and end every other session of the user',
        security: [{ bearer: [] }],
        body: Type.Object({ ...PasswordChangeBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const key = keyOf(request);
      const { old_password, new_password } = request.body;
      const attempt = await request.countAttempt();
      const user = await app.checkPassword(key, old_password, attempt);
      const { id, sid } = bearerOf(request);
      // The address may meanwhile belong to another user.
      if (user === undefined || user.id !== id) {
        await app.auditLogIn(request, 'login_failed', key, {});
        throw refuse(LoginFailed);
      }
      await attempt.succeeded();
      await app.changePassword(request, user, new_password, sid);
      return reply.code(204).send();
    },
  );
}

/** The account key of the user of the session. */
function keyOf(request: FastifyRequest): string {
  return accountKey(bearerOf(request).email);
}
