// POST /login: signs in with a password and solved challenges, and starts a session.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges/attempts/normalise.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import {
  type FieldMessage,
  LoginThrottled,
  Overloaded,
  refuse,
  StoreUnavailable,
  ValidationFailed,
} from '@tollgate/shared/http/errors/errors.js';
import { fieldsOf } from '@tollgate/shared/http/errors/validation-fields.js';
import { challengeFieldsOf, type GuardedAttempt } from '@tollgate/shared/http/guard/guarded-attempt.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { challengeFields } from '@tollgate/shared/schemas/challenge-bodies.js';
import { LoginBody, MAX_PASSWORD_BYTES, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DirectoryUnavailableError, type DirectoryUser } from '../directory/directory.js';
import { LoginFailed } from '../errors.js';
import { HashingOverloadedError } from '../passwords/hashing-queue.js';
import { OFFER_HEADERS } from '../plugins/device-binding.js';

// The schema limits characters, but the cost of hashing depends on bytes.
const TOO_LONG = { password: [{ key: 'too_long' as const, params: { limit: MAX_PASSWORD_BYTES } }] };

/** @param options.limitPerMinute log-ins per minute and address */
export default async function login(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  const { captcha } = app;

  app.post<{ Body: LoginBody }>(
    '/login',
    {
      onRequest: app.refuseForeignOrigins,
      // One answer names the mistakes in the schema's fields and in those of the challenges.
      attachValidation: true,
      // An invalid request is refused before it counts against the rate limit, whose hook runs after this one.
      preHandler: async (request) => {
        const invalid = invalidFields(request);
        if (invalid === undefined) {
          app.deviceBinding.startKey(request);
          return;
        }
        // A body that is not an object has no fields.
        const malformed =
          'body' in invalid
            ? null
            : captcha.checkShape(challengeFieldsOf(request), { pow: true, image: 'offered' });
        throw refuse(ValidationFailed, { fields: { ...invalid, ...malformed?.fields } });
      },
      errorHandler: async (error, request, reply) => {
        if (error instanceof LoginThrottled)
          await app.auditLogIn(request, 'login_throttled', keyOf(request), {});
        return answerError(error, request, reply);
      },
      config: {
        guards: [pow<{ Body: LoginBody }>({ key: keyOf, throttle: true })],
        guardsLast: true,
        rateLimit: limitTo({ name: 'login', max: limitPerMinute, shared: true, hook: 'preHandler' }),
        answerHeaders: { 'Set-Cookie': 'The refresh token', ...OFFER_HEADERS },
      },
      schema: {
        operationId: 'logIn',
        summary: 'Sign in with email, password, a proof of work and, once demanded, an image',
        body: Type.Object({ ...LoginBody.properties, ...challengeFields(captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const key = keyOf(request);
      const attempt = await request.countAttempt();
      const user = await checkPassword(key, request.body.password, attempt);
      if (user === undefined) {
        await app.auditLogIn(request, 'login_failed', key, {});
        throw refuse(LoginFailed);
      }
      await attempt.succeeded();
      return app.startSession(request, reply, { user, key, remember: request.body.remember });
    },
  );

  /** Returns the user, or undefined. A check that could not run does not count as a failure of the account. */
  async function checkPassword(
    key: string,
    password: string,
    attempt: GuardedAttempt,
  ): Promise<DirectoryUser | undefined> {
    try {
      return await app.signIn.check(key, password);
    } catch (error) {
      await attempt.withdraw();
      if (error instanceof HashingOverloadedError)
        throw refuse(Overloaded, { headers: { 'retry-after': 1 } });
      if (error instanceof DirectoryUnavailableError) {
        app.log.error({ err: error }, 'the directory did not answer');
        throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
      }
      throw error;
    }
  }
}

/** The account key of a log-in. */
function keyOf({ body }: FastifyRequest<{ Body: LoginBody }>): string {
  return accountKey(body.email);
}

/** The invalid fields of the schema; undefined if there are none. */
function invalidFields({
  validationError,
  body,
}: FastifyRequest<{ Body: LoginBody }>): Readonly<Record<string, FieldMessage[]>> | undefined {
  const { password } = Object(body) as { readonly password?: unknown };
  const isTooLong = typeof password === 'string' && Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
  if (validationError === undefined) return isTooLong ? TOO_LONG : undefined;
  return { ...fieldsOf(validationError.validation, 'body'), ...(isTooLong ? TOO_LONG : {}) };
}
