// POST /login: logs in with a password and solved challenges, and starts a session.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges';
import { pow } from '@tollgate/shared/guard';
import { answerError, detailsOf, LoginThrottled } from '@tollgate/shared/http';
import { challengeFields, LoginBody, TokenBody } from '@tollgate/shared/schemas';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OFFER_HEADERS } from '../../plugins/binding/device-binding.js';
import { checkLogin, confirmLogin, refuseInvalidForm, refuseOverload } from '../../steps/check-password.js';
import { type SessionSettings, startSession } from '../../steps/start-session.js';

type LoginRequest = FastifyRequest<{ Body: LoginBody }>;

/** @param options.limitPerMinute logins per minute and address */
export default async function login(
  app: FastifyInstance,
  { limitPerMinute, settings }: { limitPerMinute: number; settings: SessionSettings },
): Promise<void> {
  const device = (request: LoginRequest) => app.knownDevice.find(request, request.body.email);

  app.post<{ Body: LoginBody }>(
    '/login',
    {
      attachValidation: true,
      // An invalid request is rejected before it counts, and a signature is verified only within the limit.
      preHandler: [
        refuseInvalidForm,
        refuseOverload,
        app.limits.open({ name: 'login', max: limitPerMinute, shared: true }).count,
        app.deviceBinding.refuseMalformed,
      ],
      errorHandler: answerRefusal,
      config: {
        guards: [pow<{ Body: LoginBody }>({ key: keyOf, throttle: true, device })],
        guardsLast: true,
        limited: true,
        responseHeaders: {
          'Set-Cookie': 'The refresh token, and the device cookie',
          ...OFFER_HEADERS,
        },
      },
      schema: {
        operationId: 'logIn',
        summary: 'Log in with email, password, a proof of work and, if required, an image',
        body: Type.Object({ ...LoginBody.properties, ...challengeFields(app.captcha.options) }),
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const { email, password, remember } = request.body;
      const key = keyOf(request);
      const attempt = await request.countAttempt();
      const sent = { email, password, key, attempt };
      const user = await checkLogin(request, sent);
      await attempt.succeeded();
      const proven = { hash: user.hash, isKnownDevice: attempt.device === 'known' };
      const confirm = () => confirmLogin(request, sent, user);
      return startSession(request, reply, { user, key, password: proven, remember, confirm }, settings);
    },
  );
}

/** Responds to a rejected login, after it is in the history of its account. */
async function answerRefusal(
  error: FastifyError,
  request: LoginRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { audit } = request.server;
  if (error instanceof LoginThrottled) await audit.logIn(request, 'login_throttled', keyOf(request), {});
  else if (isPaidRefusal(error)) await audit.refusedLogIn(request, keyOf(request), error.code.toLowerCase());
  return answerError(error, request, reply);
}

/**
 * Whether rejected challenges were fetched by the client: a made-up or malformed one costs nothing, and would let anybody
 * fill the histories of accounts.
 */
function isPaidRefusal(error: FastifyError): boolean {
  const { reason } = detailsOf(error);
  return reason !== undefined && !['unknown', 'malformed'].includes(reason);
}

/** The account key of a login. */
function keyOf({ body }: LoginRequest): string {
  return accountKey(body.email);
}
