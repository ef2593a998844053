// What the routes share at which the user of a session proves the password again.

import { accountKey } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import { LoginThrottled, refuse } from '@tollgate/shared/http/errors/errors.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { accountOf } from '../../directory/accounts.js';
import { type DirectoryUser, UnusableUserError } from '../../directory/directory.js';
import { LoginFailed } from '../../errors.js';
import { refusalOf } from './password-refusals.js';

type OwnPasswordOptions = Pick<
  RouteShorthandOptions,
  'attachValidation' | 'preHandler' | 'errorHandler' | 'config'
>;

/** The account of the user of the session, as the directory has it now, by request. */
const accounts = new WeakMap<FastifyRequest, string>();

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
        await app.auditLogIn(request, 'login_throttled', accountKey(accounts.get(request) ?? ''), {});
      return answerError(error, request, reply);
    },
    config: {
      guards: [pow({ key: (request) => findOwnKey(app, request), throttle: true })],
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
  const attempt = await request.countAttempt();
  const account = accounts.get(request) ?? '';
  const user = await app.checkPassword(account, password, attempt);
  // The address may meanwhile belong to another user.
  if (user === undefined || user.id !== bearerOf(request).id) {
    await app.auditLogIn(request, 'login_failed', accountKey(account), {});
    throw refuse(LoginFailed);
  }
  await attempt.succeeded();
  return user;
}

/**
 * Finds the account of the user of the session, and returns its key: the one under which the user's log-ins count. For a
 * user who is gone it is the address of the token.
 * @throws StoreUnavailable if the directory does not answer
 */
async function findOwnKey(app: FastifyInstance, request: FastifyRequest): Promise<string> {
  const { id, email } = bearerOf(request);
  const user = await app.directory.findById(id).catch((error: unknown) => {
    // Answered like a wrong password, as at a log-in.
    if (error instanceof UnusableUserError) return undefined;
    throw refusalOf(error, app.log);
  });
  const account = accountOf(user ?? { email });
  accounts.set(request, account);
  return accountKey(account);
}
