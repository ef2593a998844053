// POST /login: a password and challenges for a session, in the order of decisions 3.2.

import { Type } from '@sinclair/typebox';
import { accountKey } from '@tollgate/shared/challenges/attempts/account-key.js';
import type { NextAttempt } from '@tollgate/shared/challenges/attempts/next-attempt.js';
import type { CountedAttempt } from '@tollgate/shared/challenges/challenge-verifier.js';
import { submissionFrom } from '@tollgate/shared/challenges/submission.js';
import { randomAlphanumerics } from '@tollgate/shared/crypto/random-text.js';
import {
  type FieldMessage,
  Overloaded,
  refuse,
  StoreUnavailable,
  ValidationFailed,
} from '@tollgate/shared/http/errors/errors.js';
import { fieldsOf } from '@tollgate/shared/http/errors/validation-fields.js';
import { challengeRefused } from '@tollgate/shared/http/guard/challenge-refusal.js';
import { challengeFieldsOf } from '@tollgate/shared/http/guard/guard.js';
import { limitTo } from '@tollgate/shared/http/server/rate-limit.js';
import { challengeFields } from '@tollgate/shared/schemas/challenge-fields.js';
import { LoginBody, MAX_PASSWORD_BYTES, TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DirectoryUnavailableError, type DirectoryUser } from '../directory/directory.js';
import { HashingOverloadedError } from '../directory/hashing-queue.js';
import type { SessionRules } from '../domain/session-rules.js';
import { LoginFailed, LoginThrottled } from '../errors.js';

/** Characters of a session id: 131 random bits. */
const SESSION_ID_CHARACTERS = 22;

// The schema counts characters, and hashing costs by the byte.
const TOO_LONG = { password: [{ key: 'too_long' as const, params: { limit: MAX_PASSWORD_BYTES } }] };

/**
 * @param options.rules how long sessions live
 * @param options.limitPerMinute log-ins per minute and address
 */
export default async function login(
  app: FastifyInstance,
  { rules, limitPerMinute }: { rules: SessionRules; limitPerMinute: number },
): Promise<void> {
  const { captcha } = app;

  app.post<{ Body: LoginBody }>(
    '/login',
    {
      onRequest: app.refuseForeignOrigins,
      // So that one answer names what is wrong with the schema's fields and with those of the challenges.
      attachValidation: true,
      preValidation: async (request) => {
        request.challengeFields = submissionFrom(request.body, captcha.fieldNames);
      },
      // Before the limit, which is added behind it: what is no log-in costs nobody anything.
      preHandler: async (request) => {
        const wrong = wrongFields(request);
        if (wrong === undefined) return;
        // What is no object has no fields.
        const malformed =
          'body' in wrong
            ? null
            : captcha.checkShape(challengeFieldsOf(request), { pow: true, image: 'offered' });
        throw refuse(ValidationFailed, { fields: { ...wrong, ...malformed?.fields } });
      },
      config: {
        rateLimit: limitTo({ name: 'login', max: limitPerMinute, shared: true, hook: 'preHandler' }),
        answerHeaders: { 'Set-Cookie': 'The refresh token' },
        extendError: async (request, error) => {
          if (error.statusCode !== 422 || 'captcha_required' in error.body) return undefined;
          return { ...captcha.nextAttemptUnproven(challengeFieldsOf(request), true) };
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
      const key = accountKey(request.body.email);
      const submission = challengeFieldsOf(request);
      // Behind the limit, and before anything is asked of the store.
      const malformed = captcha.checkShape(submission, { pow: true, image: 'offered' });
      if (malformed !== null) throw await challengeRefused(request, captcha, malformed, { key, failures: 0 });

      const before = await captcha.attemptStatus(key, request.ip);
      if (before.waitMs > 0) {
        throw await throttled(request, key, before.waitMs, captcha.nextAttemptUnproven(submission, true));
      }
      const account = { key, failures: before.failures };
      const verdict = await captcha.verify(submission, {
        ip: request.ip,
        pow: true,
        image: 'escalating',
        account,
      });
      if (!verdict.ok) throw await challengeRefused(request, captcha, verdict, account);

      const counted = await captcha.countAttempt(key, request.ip, verdict.given);
      if (counted.waitMs > 0) {
        const next = await captcha.nextAttempt(key, counted.before, request.ip);
        throw await throttled(request, key, counted.waitMs, next);
      }
      // Others may have failed while this one's work was checked: of parallel tries only the first few reach the password.
      const outdated = captcha.recheck(verdict.given, counted.before);
      if (outdated !== null) {
        throw await challengeRefused(request, captcha, outdated, { key, failures: counted.before });
      }

      const user = await checkPassword(key, request.body.password, counted);
      if (user === undefined) {
        await app.auditLogIn(request, 'login_failed', key, {});
        const next = await captcha.nextAttempt(key, counted.before + 1, request.ip);
        throw refuse(LoginFailed, { body: { ...next } });
      }
      await captcha.clearFailures(key, request.ip);
      const moment = await startSession(request, user.id, key);
      // Twins under the path of `/refresh` are not sent here, so they are expired unseen. A client that is no browser has none.
      if (request.headers.origin !== undefined) app.refreshCookie.clearTwins(reply, true);
      return app.answerWithTokens(reply, user, moment);
    },
  );

  async function throttled(
    request: FastifyRequest,
    key: string,
    waitMs: number,
    next: NextAttempt,
  ): Promise<Error> {
    await app.auditLogIn(request, 'login_throttled', key, {});
    return refuse(LoginThrottled, {
      headers: { 'retry-after': Math.ceil(waitMs / 1000) },
      body: { ...next },
    });
  }

  /** The user, or undefined; a check that could not be made is no failure of the account. */
  async function checkPassword(
    key: string,
    password: string,
    counted: CountedAttempt,
  ): Promise<DirectoryUser | undefined> {
    try {
      return await app.signIn.check(key, password);
    } catch (error) {
      await counted.withdraw();
      if (error instanceof HashingOverloadedError)
        throw refuse(Overloaded, { headers: { 'retry-after': 1 } });
      if (error instanceof DirectoryUnavailableError) {
        app.log.error({ err: error }, 'the directory did not answer');
        throw refuse(StoreUnavailable, { headers: { 'retry-after': 1 } });
      }
      throw error;
    }
  }

  /** A log-in always starts a new session, and ends whichever one the browser presented. */
  async function startSession(request: FastifyRequest, uid: number, key: string) {
    const sid = randomAlphanumerics(SESSION_ID_CHARACTERS);
    const presented = app.refreshCookie
      .sessions(request)
      .map((claims) => ({ uid: Number(claims.sub), sid: claims.sid }));
    const own = presented.find((session) => session.uid === uid);
    const reason = 'login';
    // Foreign ones first: should that fail, no session of this user has begun.
    for (const session of presented) {
      if (session !== own && (await app.endSession(request, reason, session)))
        app.audit(request, 'revoke', { ...session, reason });
    }
    const userAgent = request.headers['user-agent'] ?? '';
    const address = app.keyedAddress(request);
    const started = await app.sessions.start(
      { uid, sid, userAgent, address, ...(own === undefined ? {} : { endSid: own.sid }) },
      rules,
    );
    // Its own even when it was not there: the answer of a start that was re-sent does not know any more.
    app.revoker.revokeEnded(own === undefined ? started.evicted : [own.sid, ...started.evicted]);
    if (started.hasReplaced && own !== undefined) app.audit(request, 'revoke', { ...own, reason });
    for (const evicted of started.evicted)
      app.audit(request, 'revoke', { uid, sid: evicted, reason: 'evicted' });
    await app.auditLogIn(request, 'login', key, { uid, sid });
    return { sid, generation: 1, nowMs: started.nowMs, absoluteExpiresAtMs: started.absoluteExpiresAtMs };
  }
}

/** What is wrong with the fields of the schema; undefined when nothing is. */
function wrongFields({
  validationError,
  body,
}: FastifyRequest<{ Body: LoginBody }>): Readonly<Record<string, FieldMessage[]>> | undefined {
  if (validationError !== undefined) return fieldsOf(validationError.validation, 'body');
  return Buffer.byteLength(body.password) > MAX_PASSWORD_BYTES ? TOO_LONG : undefined;
}
