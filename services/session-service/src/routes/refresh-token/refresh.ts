// POST /refresh: exchanges the refresh cookie for a new access token and the next refresh token.

import { type CodedErrorClass, refuse, SessionRevoked, TokenInvalid } from '@tollgate/shared/http';
import { type RefreshClaims, readUserId, TokenBody, type UserId } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PresentedSession, survivingSession } from '../../domain/presented-cookies.js';
import type { TokenUser } from '../../domain/token-pair.js';
import { BindingRequired, CookieConflict, SessionExpired } from '../../errors.js';
import { BINDING_ANSWER_HEADERS } from '../../plugins/binding/device-binding.js';
import { sessionsOf } from '../../plugins/dependencies.js';
import type { SessionLimit } from '../../plugins/session-limit.js';
import { endRevoked, endSessions } from '../../steps/end-sessions.js';
import { respondWithTokens, type SessionSettings } from '../../steps/start-session.js';
import type { RotationVerdict } from '../../stores/session-store.js';

/**
 * @param options.settings lifetimes of sessions and rules of repetition
 * @param options.limit the limit of refreshes
 */
export default async function refresh(
  app: FastifyInstance,
  { settings: { rules, lifetimes }, limit }: { settings: SessionSettings; limit: SessionLimit },
): Promise<void> {
  app.post(
    '/refresh',
    {
      onRequest: limit.countAddress,
      config: {
        limited: true,
        responseHeaders: { 'Set-Cookie': 'The next refresh token', ...BINDING_ANSWER_HEADERS },
        refusals: {
          401: {
            description: "The cookie is missing or no longer valid, or the session's key was not proven",
            headers: {
              ...BINDING_ANSWER_HEADERS,
              'Retry-After': 'With `binding_required`, if the browser has skipped its renewal',
            },
          },
        },
      },
      schema: {
        operationId: 'refresh',
        summary: 'Exchange the refresh cookie for new tokens',
        security: [{ refreshCookie: [] }],
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const presented = app.cookies.refresh.read(request);
      const { sub, sid, gen, email, exp, claims } = await presentedClaims(request, reply, presented);
      const uid = readUserId(sub);
      if (await endRevoked(request, { uid, sid })) {
        app.metrics.countRefresh('revoked');
        app.cookies.page?.clearEnded(reply, sid);
        throw await rejection(request, reply, SessionRevoked);
      }
      const { binding, isStale } = app.deviceBinding.read(request, sid);
      if (isStale) {
        app.metrics.countRefresh('stale_proof');
        throw refuse(BindingRequired, { headers: app.deviceBinding.refusalHeaders(request, sid, undefined) });
      }
      const address = app.audit.pseudonymOf(request);
      const verdict = await sessionsOf(request).rotate(
        { uid, sid, generation: gen, address, expiresAtMs: exp * 1000, binding },
        rules,
      );
      report(request, verdict, { uid, sid });
      if (verdict.outcome === 'binding_required') {
        const headers = app.deviceBinding.refusalHeaders(request, sid, verdict.kind);
        throw refuse(BindingRequired, { headers });
      }
      const user =
        'generation' in verdict ? await currentUser(request, { id: uid, email, claims }) : undefined;
      if (!('generation' in verdict) || user === undefined) {
        app.cookies.page?.clearEnded(reply, sid);
        throw verdict.outcome === 'expired'
          ? refuse(SessionExpired)
          : await rejection(request, reply, SessionRevoked);
      }
      app.deviceBinding.announce(reply, sid, verdict.attributes);
      const body = respondWithTokens(reply, user, { sid, ...verdict }, lifetimes);
      if (!presented.ok) app.cookies.refresh.clearTwins(reply);
      return body;
    },
  );

  /**
   * The error for an invalid or no longer valid credential, which counts for the address. Honest clients behind one address
   * send no cookie, an expired one, or no proof yet, so these rejections do not count.
   * @throws RateLimited beyond the limit
   */
  async function rejection(request: FastifyRequest, reply: FastifyReply, ErrorClass: CodedErrorClass) {
    await limit.countRejected(request, reply);
    return refuse(ErrorClass);
  }

  /** The session of the cookies. Of several sessions, the only live one. */
  async function presentedClaims(
    request: FastifyRequest,
    reply: FastifyReply,
    presented: PresentedSession,
  ): Promise<RefreshClaims> {
    if (presented.ok) {
      await limit.countSession(request, reply, presented.claims.sid);
      return presented.claims;
    }
    const { reason } = presented;
    if (reason !== 'conflict' && reason !== 'flood') {
      app.metrics.countRefresh(reason);
      if (reason === 'expired') throw refuse(SessionExpired);
      throw reason === 'missing' ? refuse(TokenInvalid) : await rejection(request, reply, TokenInvalid);
    }
    const survivor = reason === 'flood' ? 'several' : await surviving(request, reply, presented.sessions);
    if (typeof survivor !== 'string') return survivor;
    app.cookies.refresh.clearTwins(reply);
    app.metrics.countRefresh(survivor === 'none' ? 'revoked' : 'conflict');
    throw await rejection(request, reply, survivor === 'none' ? SessionRevoked : CookieConflict);
  }

  async function surviving(request: FastifyRequest, reply: FastifyReply, sessions: readonly RefreshClaims[]) {
    for (const { sid } of sessions) await limit.countSession(request, reply, sid);
    const alive = await sessionsAlive(request, sessions);
    return survivingSession(sessions, (sid) => alive.has(sid));
  }

  /** The ids of the sessions that exist and are not revoked. */
  async function sessionsAlive(
    request: FastifyRequest,
    sessions: readonly RefreshClaims[],
  ): Promise<Set<string>> {
    const uids = [...new Set(sessions.map(({ sub }) => readUserId(sub)))];
    const listed = await Promise.all(uids.map((uid) => sessionsOf(request).list(uid)));
    const alive = new Set(listed.flat().map(({ sid }) => sid));
    for (const { sub, sid } of sessions) {
      if (alive.has(sid) && (await endRevoked(request, { uid: readUserId(sub), sid }))) alive.delete(sid);
    }
    return alive;
  }

  function report(
    request: FastifyRequest,
    verdict: RotationVerdict,
    session: { uid: UserId; sid: string },
  ): void {
    const { outcome } = verdict;
    app.metrics.countRefresh(outcome);
    if (outcome === 'binding_failed' || outcome === 'reuse') app.stores.revoker.revokeEnded([session.sid]);
    app.deviceBinding.report(request, verdict, session);
    if (outcome === 'reuse') app.audit.write(request, 'refresh_reuse_detected', session);
    if (outcome === 'rolled_forward') app.audit.write(request, 'state_rollback', session);
  }

  /**
   * The user as in the directory now, or as in the token if the directory does not respond. If the user is gone or disabled,
   * ends all the user's sessions and returns undefined.
   */
  async function currentUser(request: FastifyRequest, known: TokenUser): Promise<TokenUser | undefined> {
    const uid = known.id;
    const user = await app.directory.findById(uid, known.email).catch((error: unknown) => {
      request.log.warn({ err: error }, 'the directory did not respond; the refresh continues without it');
      return { ...known, disabled: false };
    });
    if (user !== undefined && !user.disabled) return user;
    await endSessions(request, 'user_gone', uid);
    return undefined;
  }
}
