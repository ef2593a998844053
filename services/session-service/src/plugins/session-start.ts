// Starts the session of a user who has just signed in, and responds with its first tokens.

import { randomAlphanumerics } from '@tollgate/shared/crypto/random.js';
import type { TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import { readUserId } from '@tollgate/shared/schemas/user-id.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { BindingKey } from '../domain/binding/session-binding.js';
import { NOT_REMEMBERED, type SessionAttributes, type SessionRules } from '../domain/session-record.js';
import type { SessionMoment, TokenUser } from '../domain/token-pair.js';

/** A sign-in that succeeded. */
export interface SignedIn {
  readonly user: TokenUser;
  /** The account key of the log-in, for the history of the account. */
  readonly key: string;
  /** With a password: the hash that it matches, for the device cookie, and whether a known device sent it. */
  readonly password?: { readonly hash: string; readonly isKnownDevice: boolean };
  /** What the record of the session keeps of the sign-in. */
  readonly attributes?: SessionAttributes;
  /** Whether the session outlives the browser; true by default. */
  readonly remember?: boolean | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Starts a session, bound to the key that the request may bring, ends the sessions that the browser presented, and
     * writes the log-in to the audit stream. Sets the refresh cookie and, after a password of a user who is remembered,
     * the device cookie, and returns the body of the response.
     * @throws StoreUnavailableError if the store does not answer
     * @throws ValidationFailed for a malformed proof; call `deviceBinding.startKey` before anything is spent
     */
    startSession(request: FastifyRequest, reply: FastifyReply, signedIn: SignedIn): Promise<TokenBody>;
  }
}

/** Characters of a session id: 131 random bits. */
const SESSION_ID_CHARACTERS = 22;

async function sessionStart(app: FastifyInstance, { rules }: { rules: SessionRules }): Promise<void> {
  app.decorate('startSession', async (request, reply, signedIn) => {
    const boundTo = app.deviceBinding.startKey(request);
    const moment = await start(request, signedIn, boundTo);
    if (boundTo !== undefined) {
      const kind = 'key';
      app.countBinding(kind);
      app.audit(request, 'refresh_bound', { uid: signedIn.user.id, sid: moment.sid, kind });
    }
    app.deviceBinding.offer(reply, moment.sid, boundTo === undefined ? 'none' : 'key');
    const { user, key, password, remember = true } = signedIn;
    // Who does not want to be remembered may be on a device of others.
    if (password !== undefined && remember) {
      const { sid, nowMs } = moment;
      app.knownDevice.remember(reply, { key, user: { id: user.id, hash: password.hash }, sid, nowMs });
    }
    return app.respondWithTokens(reply, user, moment);
  });

  /** Starts a new session and ends the sessions that the browser presented. */
  async function start(
    request: FastifyRequest,
    { user, key, password, remember = true, attributes: given = {} }: SignedIn,
    boundTo: BindingKey | undefined,
  ): Promise<SessionMoment> {
    const uid = user.id;
    const attributes = remember ? given : { ...given, ...NOT_REMEMBERED };
    const sid = randomAlphanumerics(SESSION_ID_CHARACTERS);
    const presented = app.refreshCookie
      .sessions(request)
      .map((claims) => ({ uid: readUserId(claims.sub), sid: claims.sid }));
    const own = presented.find((session) => session.uid === uid);
    const reason = 'login';
    // Sessions of other users first: if that fails, this user's session has not started.
    for (const session of presented) {
      if (session !== own && (await app.endSession(request, reason, session)))
        app.audit(request, 'revoke', { ...session, reason });
    }
    const userAgent = request.headers['user-agent'] ?? '';
    const address = app.clientPseudonym(request);
    const started = await request.sessions.start(
      {
        uid,
        sid,
        userAgent,
        attributes,
        boundTo,
        address,
        ...(own === undefined ? {} : { endSid: own.sid }),
      },
      rules,
    );
    // Revoke the own session even if `hasReplaced` is false: a repeated start does not know that it was alive.
    app.revoker.revokeEnded(own === undefined ? started.evicted : [own.sid, ...started.evicted]);
    if (started.hasReplaced && own !== undefined) app.audit(request, 'revoke', { ...own, reason });
    for (const evicted of started.evicted)
      app.audit(request, 'revoke', { uid, sid: evicted, reason: 'evicted' });
    const { amr } = attributes;
    await app.auditLogIn(request, 'login', key, {
      uid,
      sid,
      ...(amr && { amr: amr.split(',') }),
      ...(password && { known_device: password.isKnownDevice }),
    });
    const { nowMs, absoluteExpiresAtMs } = started;
    return { sid, generation: 1, nowMs, createdAtMs: nowMs, absoluteExpiresAtMs, attributes };
  }
}

/** Decorates the server with `startSession`. */
export default fp(sessionStart, {
  name: 'tollgate-session-start',
  fastify: '5.x',
  dependencies: [
    ...['tollgate-session-dependencies', 'tollgate-end-sessions', 'tollgate-audit'],
    ...['tollgate-refresh-cookie', 'tollgate-known-device', 'tollgate-token-response'],
    'tollgate-device-binding',
  ],
});
