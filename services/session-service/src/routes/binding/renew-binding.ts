// POST /refresh/renew: exchanges a signature with the session's key for a new bound cookie. Writes nothing.

import { Type } from '@sinclair/typebox';
import { refuse, SessionRevoked } from '@tollgate/shared/http';
import { BrowserSessionBody, BrowserSessionEnd, readUserId } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bindingKeyOf, bindingOf, type SessionBinding } from '../../domain/binding/binding-rule.js';
import {
  challengeHeader,
  headerText,
  readBrowserJwt,
  sessionInstructions,
} from '../../domain/binding/device-proof.js';
import { SignatureRequired } from '../../errors.js';
import { sessionsOf } from '../../plugins/dependencies.js';
import { endRevoked, endSession } from '../../steps/end-sessions.js';
import type { SessionRef } from '../../stores/session-store.js';

export default async function renewBinding(app: FastifyInstance): Promise<void> {
  const { browser } = app.deviceBinding;

  app.post(
    '/refresh/renew',
    {
      onRequest: browser.countAddress,
      config: {
        responseHeaders: { 'Set-Cookie': 'The bound cookie' },
        refusals: {
          401: { description: 'Another key has signed: the session was ended', headers: {} },
          403: {
            description: 'The origin is not allowed, or a challenge must be signed',
            headers: { 'Secure-Session-Challenge': 'The challenge, and the session as its `id`' },
          },
        },
      },
      schema: {
        operationId: 'renewBinding',
        summary: 'Renew the bound cookie with a signature; browsers call it by themselves',
        security: [{ refreshCookie: [] }, {}],
        response: { 200: Type.Union([BrowserSessionBody, BrowserSessionEnd]) },
      },
    },
    async (request, reply): Promise<BrowserSessionBody | BrowserSessionEnd> => {
      const asked = headerText(request.headers['sec-secure-session-id']);
      const found = await boundSession(request, reply, asked);
      // Any rejection would end the browser's session too, but only after the browser has treated it as a fault.
      if (found === undefined) {
        app.metrics.countRenewal('over');
        return { session_identifier: asked, continue: false };
      }
      const { session, binding } = found;
      const { sid } = session;
      const jwt = readBrowserJwt(headerText(request.headers['secure-session-response']));
      if (jwt === undefined || !browser.isCurrent('renew', sid, jwt.payload.jti)) {
        app.metrics.countRenewal('challenged');
        const challenge = challengeHeader(browser.challenge('renew', sid), sid);
        throw refuse(SignatureRequired, { headers: { 'secure-session-challenge': challenge } });
      }
      // The key of the record, never one of the token, which a thief could have made.
      const key = bindingKeyOf(binding);
      if (key === undefined || !jwt.isSignedBy(key)) {
        app.metrics.countRenewal('failed');
        if (await endSession(request, 'binding_failed', session))
          app.audit.write(request, 'refresh_binding_failed', { ...session, kind: binding.kind });
        throw refuse(SessionRevoked);
      }
      app.metrics.countRenewal('renewed');
      browser.setCookie(reply, sid, key.thumbprint);
      return sessionInstructions(sid, browser.session);
    },
  );

  /**
   * The session of the cookies that the browser names, if it is alive and bound by a browser. Its generation is ignored: a
   * parallel refresh may have replaced the cookie.
   */
  async function boundSession(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: string,
  ): Promise<{ session: SessionRef; binding: SessionBinding } | undefined> {
    const claims = app.cookies.refresh.sessions(request).find(({ sid }) => sid === asked);
    if (claims === undefined) return undefined;
    await browser.countSession(request, reply, claims.sid);
    const session = { uid: readUserId(claims.sub), sid: claims.sid };
    if (await endRevoked(request, session)) return undefined;
    const { nowMs, known } = await sessionsOf(request).find(session.sid, session.uid);
    if (known === undefined || !('record' in known) || known.record.expiresAtMs <= nowMs) return undefined;
    const binding = bindingOf(known.record.attributes);
    return binding?.kind === 'dbsc' ? { session, binding } : undefined;
  }
}
