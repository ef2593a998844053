// POST /refresh: a new access token and a rotated refresh token for the session of the cookie.

import { SessionRevoked, TokenInvalid } from '@tollgate/shared/http/bearer-errors.js';
import { refuse } from '@tollgate/shared/http/errors.js';
import { limitTo } from '@tollgate/shared/http/rate-limit.js';
import { TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { currentUser } from '../domain/current-user.js';
import type { PresentedSession } from '../domain/refresh-cookies.js';
import type { SessionRules } from '../domain/session-rules.js';
import { CookieConflict, SessionExpired } from '../errors.js';
import type { RotationVerdict } from '../stores/session-store.js';

const UNREADABLE = {
  missing: TokenInvalid,
  invalid: TokenInvalid,
  expired: SessionExpired,
  conflict: CookieConflict,
};
const REFUSED = {
  revoked: SessionRevoked,
  expired: SessionExpired,
  reuse: SessionRevoked,
};

/**
 * @param options.rules how long sessions live and what may be repeated
 * @param options.limitPerMinute refreshes per minute and address
 */
export default async function refresh(
  app: FastifyInstance,
  { rules, limitPerMinute }: { rules: SessionRules; limitPerMinute: number },
): Promise<void> {
  app.post(
    '/refresh',
    {
      onRequest: app.refuseForeignOrigins,
      config: { rateLimit: limitTo({ name: 'refresh', max: limitPerMinute }) },
      schema: {
        summary: 'Exchange the refresh cookie for new tokens',
        security: [{ refreshCookie: [] }],
        response: { 200: TokenBody },
      },
    },
    async (request, reply): Promise<TokenBody> => {
      const presented = app.refreshCookie.read(request);
      if (!presented.ok) throw refusePresented(reply, presented);
      const { sub, sid, gen, email } = presented.claims;
      const uid = Number(sub);
      if (await app.endRevoked(request, { uid, sid })) {
        app.countRefresh('revoked');
        throw refuse(SessionRevoked);
      }
      const verdict = await app.sessions.rotate(
        { uid, sid, generation: gen, address: app.keyedAddress(request) },
        rules,
      );
      report(request, verdict, { uid, sid });
      if (!('generation' in verdict)) throw refuse(REFUSED[verdict.outcome]);
      const user = await stillThere(request, uid, email);
      return app.answerWithTokens(reply, user, { sid, ...verdict });
    },
  );

  function refusePresented(reply: FastifyReply, presented: PresentedSession & { ok: false }): Error {
    app.countRefresh(presented.reason);
    if (presented.reason === 'conflict') app.refreshCookie.clearTwins(reply);
    return refuse(UNREADABLE[presented.reason]);
  }

  function report(
    request: FastifyRequest,
    { outcome }: RotationVerdict,
    session: { uid: number; sid: string },
  ): void {
    app.countRefresh(outcome);
    if (outcome === 'reuse') {
      app.revoker.revokeEnded([session.sid]);
      app.audit(request, 'refresh_reuse_detected', session);
    }
    if (outcome === 'rolled_forward') app.audit(request, 'state_rollback', session);
  }

  /** The user as the directory knows it now; with the directory away, as the token does. */
  async function stillThere(request: FastifyRequest, uid: number, email: string) {
    const user = await currentUser(app.directory, uid).catch((error: unknown) => {
      request.log.warn({ err: error }, 'the directory did not answer; the refresh goes on without it');
      return { id: uid, email };
    });
    if (user !== undefined) return user;
    const reason = 'user_gone';
    const ended = await app.endSessions(request, reason, uid);
    for (const sid of ended) app.audit(request, 'revoke', { uid, sid, reason });
    throw refuse(SessionRevoked);
  }
}
