// POST /refresh/bind: binds the session to a key from the browser (Device Bound Session Credentials).

import { refuse, SessionRevoked, TokenInvalid } from '@tollgate/shared/http';
import { BrowserSessionBody, readUserId } from '@tollgate/shared/schemas';
import type { FastifyInstance } from 'fastify';
import {
  headerText,
  readBrowserJwt,
  registeredKey,
  sessionInstructions,
} from '../../domain/binding/device-proof.js';
import { BindingConflict, RegistrationInvalid, SessionExpired } from '../../errors.js';
import { sessionsOf } from '../../plugins/dependencies.js';
import { endRevoked } from '../../steps/end-sessions.js';

const REFUSED = { revoked: SessionRevoked, expired: SessionExpired, conflict: BindingConflict };

export default async function bindBrowser(app: FastifyInstance): Promise<void> {
  const { browser } = app.deviceBinding;

  app.post(
    '/refresh/bind',
    {
      onRequest: browser.countAddress,
      config: {
        responseHeaders: { 'Set-Cookie': 'The bound cookie' },
        refusals: { 409: { description: 'The session is bound to another key', headers: {} } },
      },
      schema: {
        operationId: 'bindBrowser',
        summary: "Bind the session to the browser's key; browsers call it by themselves",
        security: [{ refreshCookie: [] }],
        response: { 200: BrowserSessionBody },
      },
    },
    async (request, reply): Promise<BrowserSessionBody> => {
      const presented = app.cookies.refresh.sessions(request);
      if (presented.length === 0) throw refuse(TokenInvalid);
      const jwt = readBrowserJwt(headerText(request.headers['secure-session-response']));
      // The challenge identifies one of several sessions. The generation is ignored: a refresh may be in flight.
      const claims = presented.find(({ sid }) => browser.isCurrent('bind', sid, jwt?.payload.jti));
      if (claims === undefined || jwt === undefined) throw refuse(RegistrationInvalid);
      await browser.countSession(request, reply, claims.sid);
      const key = registeredKey(jwt);
      if (key === undefined) throw refuse(RegistrationInvalid);
      const { sid, exp } = claims;
      const session = { uid: readUserId(claims.sub), sid };
      if (await endRevoked(request, session)) throw refuse(SessionRevoked);
      const outcome = await sessionsOf(request).bind({ ...session, key, expiresAtMs: exp * 1000 });
      if (outcome !== 'bound' && outcome !== 'known') throw refuse(REFUSED[outcome]);
      if (outcome === 'bound') {
        const kind = 'dbsc';
        app.metrics.countBinding(kind);
        app.audit.write(request, 'refresh_bound', { ...session, kind });
      }
      browser.setCookie(reply, sid, key.thumbprint);
      return sessionInstructions(sid, browser.session);
    },
  );
}
