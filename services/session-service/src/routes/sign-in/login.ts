// POST /login: signs in with a password and solved challenges, and starts a session.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import { answerError } from '@tollgate/shared/http/errors/error-handler.js';
import { detailsOf, LoginThrottled, refuse } from '@tollgate/shared/http/errors/errors.js';
import { pow } from '@tollgate/shared/http/guard/guards.js';
import { challengeFields } from '@tollgate/shared/schemas/challenge-bodies.js';
import { LoginBody, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { FailureReason } from '../../domain/account-event.js';
import { LoginFailed } from '../../errors.js';
import { OFFER_HEADERS } from '../../plugins/binding/device-binding.js';

/** @param options.limitPerMinute log-ins per minute and address */
export default async function login(
  app: FastifyInstance,
  { limitPerMinute }: { limitPerMinute: number },
): Promise<void> {
  const { captcha } = app;
  const device = (request: FastifyRequest<{ Body: LoginBody }>) =>
    app.knownDevice.find(request, request.body.email);

  app.post<{ Body: LoginBody }>(
    '/login',
    {
      attachValidation: true,
      // An invalid request is refused before it counts, and a signature is verified only within the limit.
      preHandler: [
        app.refuseInvalidForm,
        app.limiter({ name: 'login', max: limitPerMinute, shared: true }).count,
        app.deviceBinding.refuseMalformed,
      ],
      errorHandler: async (error, request, reply) => {
        if (error instanceof LoginThrottled)
          await app.auditLogIn(request, 'login_throttled', keyOf(request), {});
        else if (isPaidRefusal(error))
          await app.noteRefusedLogIn(request, keyOf(request), error.code.toLowerCase());
        return answerError(error, request, reply);
      },
      config: {
        guards: [pow<{ Body: LoginBody }>({ key: keyOf, throttle: true, device })],
        guardsLast: true,
        limited: true,
        answerHeaders: {
          'Set-Cookie': 'The refresh token, and the cookie by which the device is known',
          ...OFFER_HEADERS,
        },
      },
      schema: {
        operationId: 'logIn',
        summary: 'Sign in with email, password, a proof of work and, once demanded, an image',
        body: Type.Object({ ...LoginBody.properties, ...challengeFields(captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const { email, password: given, remember } = request.body;
      const key = keyOf(request);
      const attempt = await request.countAttempt();
      if (attempt.device !== undefined) app.knownDevice.count(attempt.device);
      let reason: FailureReason | undefined;
      const user = await app.checkPassword(email, given, attempt, (why) => {
        reason = why;
      });
      if (user === undefined) {
        const about = { known_device: attempt.device === 'known' };
        await app.auditLogIn(request, 'login_failed', key, about, reason);
        throw refuse(LoginFailed);
      }
      await attempt.succeeded();
      const password = { hash: user.hash, isKnownDevice: attempt.device === 'known' };
      return app.startSession(request, reply, { user, key, password, remember });
    },
  );
}

/**
 * Whether challenges were refused that the client had fetched: a made-up or malformed one costs nothing, and would let anybody
 * fill the histories of accounts.
 */
function isPaidRefusal(error: FastifyError): boolean {
  const { reason } = detailsOf(error);
  return reason !== undefined && !['unknown', 'malformed'].includes(reason);
}

/** The account key of a log-in. */
function keyOf({ body }: FastifyRequest<{ Body: LoginBody }>): string {
  return accountKey(body.email);
}
