// Responds with tokens to a log-in or a refresh: the access token in the body, the refresh token in the cookie.

import type { TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type SessionMoment, type TokenLifetimes, type TokenUser, tokenPair } from '../domain/token-pair.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Sets the refresh cookie and returns the response body for this state of a user's session. */
    respondWithTokens(reply: FastifyReply, user: TokenUser, moment: SessionMoment): TokenBody;
  }
}

async function tokenResponse(
  app: FastifyInstance,
  { lifetimes }: { lifetimes: TokenLifetimes },
): Promise<void> {
  app.decorate('respondWithTokens', (reply, user, moment) => {
    const pair = tokenPair(user, moment, lifetimes);
    app.refreshCookie.set(reply, pair.refresh, pair.cookieMaxAge);
    return { accessToken: app.tokens.access.issue(pair.access), expiresIn: pair.expiresIn };
  });
}

/** Decorates the server with `respondWithTokens`. */
export default fp(tokenResponse, {
  name: 'tollgate-token-response',
  fastify: '5.x',
  dependencies: ['tollgate-tokens', 'tollgate-refresh-cookie'],
});
