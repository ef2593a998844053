// What the routes share at which the user of a session proves the password again.

import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import { LoginThrottled, refuse } from '@tollgate/shared/http/errors/errors.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { DirectoryUser } from '../../directory/directory.js';
import { LoginFailed } from '../../errors.js';

type OwnPasswordOptions = Pick<
  RouteShorthandOptions,
  'attachValidation' | 'preHandler' | 'errorHandler' | 'config'
>;

/**
 * Options of such a route. It costs what a log-in costs, and its failures count for the account as those of a log-in: a
 * stolen access token makes no guess at a password cheaper.
 * @param limitPerMinute log-ins, reauthentications and changes per minute and address
 */
export function ownPasswordOptions(app: FastifyInstance, limitPerMinute: number): OwnPasswordOptions {
  return {
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
  };
}

/**
 * Counts the attempt and checks the password of the user of the session.
 * @throws LoginFailed, after it is in the audit stream; what `countAttempt` and `checkPassword` throw
 */
export async function proveOwnPassword(
  app: FastifyInstance,
  request: FastifyRequest,
  password: string,
): Promise<DirectoryUser> {
  const key = keyOf(request);
  const attempt = await request.countAttempt();
  const user = await app.checkPassword(key, password, attempt);
  // The address may meanwhile belong to another user.
  if (user === undefined || user.id !== bearerOf(request).id) {
    await app.auditLogIn(request, 'login_failed', key, {});
    throw refuse(LoginFailed);
  }
  await attempt.succeeded();
  return user;
}

/** The account key of the user of the session. */
function keyOf(request: FastifyRequest): string {
  return accountKey(bearerOf(request).email);
}
