// Checks the password of a form, at a login and at a step-up, after the form itself.

import { challengeFieldsOf, type GuardedAttempt } from '@tollgate/shared/guard';
import {
  type FieldMessage,
  fieldsOf,
  Overloaded,
  refuse,
  StoreUnavailable,
  ValidationFailed,
} from '@tollgate/shared/http';
import { MAX_PASSWORD_BYTES, type UserId } from '@tollgate/shared/schemas';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { DirectoryUnavailableError, type DirectoryUser } from '../directory/directory.js';
import type { FailureReason } from '../domain/account-event.js';
import { LoginFailed } from '../errors.js';
import { HashingOverloadedError } from '../passwords/sign-in.js';

/** The password of a login, and its counted attempt. */
interface LoginPassword {
  /** The email address as typed. */
  readonly email: string;
  readonly password: string;
  /** The account key of the attempt. */
  readonly key: string;
  readonly attempt: GuardedAttempt;
}

/**
 * Checks the password of a login. Counts its known device, and writes a failure to the audit stream.
 * @throws LoginFailed, Overloaded, StoreUnavailable; StoreUnavailableError
 */
export async function checkLogin(request: FastifyRequest, login: LoginPassword): Promise<DirectoryUser> {
  const { device } = login.attempt;
  if (device !== undefined) request.server.knownDevice.count(device);
  return provePassword(request, login, detailsOf(login));
}

/**
 * Checks a login again when its session exists: the password may have been changed while this one was checked.
 * @param user as checked
 * @throws LoginFailed, Overloaded, StoreUnavailable; StoreUnavailableError
 */
export async function confirmLogin(
  request: FastifyRequest,
  login: LoginPassword,
  user: DirectoryUser,
): Promise<void> {
  const { directory, log } = request.server;
  const now = await directory.findById(user.id).catch((error: unknown) => {
    throw refusalOf(error, log);
  });
  if (now?.hash === user.hash && !now.disabled) return;
  // Another login may have replaced an outdated hash of the same password.
  await provePassword(request, login, detailsOf(login), user.id);
}

function detailsOf({ attempt }: LoginPassword) {
  return { known_device: attempt.device === 'known' };
}

/**
 * Returns the user with this password, who must be `uid` if that is given. A check that could not run does not count as a
 * failure of the account: the attempt is withdrawn.
 * @param details properties of a failure in the audit stream
 * @throws LoginFailed, after it is in the audit stream; Overloaded, StoreUnavailable; StoreUnavailableError
 */
export async function provePassword(
  request: FastifyRequest,
  { email, password, key, attempt }: LoginPassword,
  details: { readonly known_device?: boolean },
  uid?: UserId,
): Promise<DirectoryUser> {
  const { audit, log, signIn } = request.server;
  let reason: FailureReason | undefined;
  let user: DirectoryUser | undefined;
  try {
    user = await signIn.check(email, password, (why) => {
      reason = why;
    });
  } catch (error) {
    await attempt.withdraw();
    throw refusalOf(error, log);
  }
  if (user !== undefined && (uid === undefined || user.id === uid)) return user;
  await audit.logIn(request, 'login_failed', key, details, reason);
  throw refuse(LoginFailed);
}

/**
 * A `preHandler` hook of a guarded route with `attachValidation` and password fields. One response reports the mistakes in
 * the schema's fields and in those of the challenges, before anything is counted or spent.
 * @throws ValidationFailed
 */
export async function refuseInvalidForm(request: FastifyRequest): Promise<void> {
  const invalid = invalidFields(request);
  if (invalid === undefined) return;
  // A body that is not an object has no fields.
  const malformed =
    'body' in invalid
      ? null
      : request.server.captcha.checkShape(challengeFieldsOf(request), { pow: true, image: 'offered' });
  throw refuse(ValidationFailed, { fields: { ...invalid, ...malformed?.fields } });
}

/**
 * A `preHandler` hook of a route that checks a password. While the hashing queue is full, the form's challenges would be
 * spent for nothing.
 * @throws Overloaded
 */
export async function refuseOverload({ server }: FastifyRequest): Promise<void> {
  await server.signIn.admit().catch((error: unknown) => {
    throw refusalOf(error, server.log);
  });
}

/** The invalid fields of the schema; undefined if there are none. */
function invalidFields({
  validationError,
  body,
}: FastifyRequest): Readonly<Record<string, FieldMessage[]>> | undefined {
  const tooLong = longPasswords(body);
  if (validationError === undefined) return tooLong;
  return { ...fieldsOf(validationError.validation, 'body'), ...tooLong };
}

const PASSWORD_FIELDS = ['password', 'old_password', 'new_password'] as const;

/**
 * Returns a message for each field of a body with a too long password; undefined if there is none. The schema limits
 * characters, but the cost of hashing depends on bytes.
 */
export function longPasswords(body: unknown): Readonly<Record<string, FieldMessage[]>> | undefined {
  const fields = Object(body) as Readonly<Record<string, unknown>>;
  const tooLong = PASSWORD_FIELDS.filter((field) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return typeof value === 'string' && Buffer.byteLength(value) > MAX_PASSWORD_BYTES;
  });
  if (tooLong.length === 0) return undefined;
  const message = { key: 'too_long', params: { limit: MAX_PASSWORD_BYTES } } as const;
  return Object.fromEntries(tooLong.map((field) => [field, [message]]));
}

/**
 * Returns the error to throw for an error of the directory or of the hashing queue: Overloaded or StoreUnavailable, each
 * with `Retry-After`. Returns any other error unchanged.
 */
export function refusalOf(error: unknown, log: FastifyBaseLogger): unknown {
  const headers = { 'retry-after': 1 };
  if (error instanceof HashingOverloadedError) return refuse(Overloaded, { headers });
  if (!(error instanceof DirectoryUnavailableError)) return error;
  log.error({ err: error }, 'the directory did not respond');
  return refuse(StoreUnavailable, { headers });
}
