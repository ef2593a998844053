// The password of a session's user: proves it again, and replaces it.

import { accountKey } from '@tollgate/shared/challenges';
import { pow } from '@tollgate/shared/guard';
import { answerError, LoginThrottled, limitTo, refuse } from '@tollgate/shared/http';
import { bearerOf } from '@tollgate/shared/tokens';
import type { FastifyRequest, RouteShorthandOptions } from 'fastify';
import { accountOf, type DirectoryUser, UnusableUserError } from '../directory/directory.js';
import { DirectoryReadOnly, PasswordConflict } from '../errors.js';
import { provePassword, refusalOf, refuseInvalidForm, refuseOverload } from './check-password.js';
import { endSessions } from './end-sessions.js';

type OwnPasswordOptions = Pick<
  RouteShorthandOptions,
  'attachValidation' | 'preHandler' | 'errorHandler' | 'config'
>;

/** The account of the session's user, as in the directory now, by request. */
const accounts = new WeakMap<FastifyRequest, string>();

/**
 * Options of a route where the session's user proves the password again. It costs as much as a login, and its failures count
 * for the account like those of a login: a stolen access token makes password guesses no cheaper.
 * @param limitPerMinute logins, reauthentications and changes per minute and address
 */
export function ownPasswordOptions(limitPerMinute: number): OwnPasswordOptions {
  return {
    attachValidation: true,
    preHandler: [refuseInvalidForm, refuseOverload],
    errorHandler: async (error, request, reply) => {
      if (error instanceof LoginThrottled) {
        const key = accountKey(accounts.get(request) ?? '');
        await request.server.audit.logIn(request, 'login_throttled', key, {});
      }
      return answerError(error, request, reply);
    },
    config: {
      guards: [pow({ key: findOwnKey, throttle: true })],
      guardsLast: true,
      rateLimit: limitTo({ name: 'login', max: limitPerMinute, shared: true, hook: 'preHandler' }),
    },
  };
}

/**
 * Counts the attempt and checks the password of the session's user.
 * @throws LoginFailed, after it is in the audit stream; the errors of `countAttempt` and `provePassword`
 */
export async function proveOwnPassword(request: FastifyRequest, password: string): Promise<DirectoryUser> {
  const attempt = await request.countAttempt();
  const email = accounts.get(request) ?? '';
  // The address may meanwhile belong to another user.
  const { id } = bearerOf(request);
  const user = await provePassword(request, { email, password, key: accountKey(email), attempt }, {}, id);
  await attempt.succeeded();
  return user;
}

/**
 * Finds the account of the session's user, and returns its key for counting the user's logins. For a missing user it is the
 * address in the token.
 * @throws StoreUnavailable if the directory does not respond
 */
async function findOwnKey(request: FastifyRequest): Promise<string> {
  const { directory, log } = request.server;
  const { id, email } = bearerOf(request);
  const user = await directory.findById(id).catch((error: unknown) => {
    // Has the response of a wrong password, as at a login.
    if (error instanceof UnusableUserError) return undefined;
    throw refusalOf(error, log);
  });
  const account = accountOf(user ?? { email });
  accounts.set(request, account);
  return accountKey(account);
}

/**
 * A hook that rejects a request while the directory cannot replace passwords.
 * @throws DirectoryReadOnly
 */
export async function requireWritablePasswords({ server }: FastifyRequest): Promise<void> {
  if (server.directory.saveHash === undefined) throw refuse(DirectoryReadOnly);
}

/**
 * Replaces the password of a user, ends the user's sessions except `exceptSid`, and voids all device cookies. If it throws,
 * the old password is still valid, unless the directory or the store failed in between: calling it again completes the
 * change.
 * @param user as in the directory: another hash there meanwhile is a conflict
 * @throws PasswordConflict, Overloaded, StoreUnavailable; StoreUnavailableError
 */
export async function replacePassword(
  request: FastifyRequest,
  { id: uid, hash: oldHash }: DirectoryUser,
  password: string,
  exceptSid?: string,
): Promise<void> {
  const { audit, directory, log, signIn } = request.server;
  const reason = 'password';
  const refused = (error: unknown): never => {
    throw refusalOf(error, log);
  };
  const hash = await signIn.hash(password).catch(refused);
  // Before the password is replaced: if the store fails, the same request can be sent again.
  await endSessions(request, reason, uid, exceptSid);
  if (!(await directory.saveHash?.(uid, oldHash, hash).catch(refused))) throw refuse(PasswordConflict);
  audit.write(request, 'password_changed', {
    uid,
    ...(exceptSid !== undefined && { sid: exceptSid }),
    by: exceptSid === undefined ? 'application' : 'user',
  });
  // Somebody with the old password may have logged in meanwhile.
  await endSessions(request, reason, uid, exceptSid);
}
