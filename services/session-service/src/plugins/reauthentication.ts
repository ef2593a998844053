// Records that the user of a session was authenticated again, and responds with an access token that says so.

import { refuse, SessionRevoked } from '@tollgate/shared/http/errors/errors.js';
import { bearerOf } from '@tollgate/shared/http/tokens/bearer.js';
import type { TokenBody } from '@tollgate/shared/schemas/session-bodies.js';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { DirectoryUser } from '../directory/directory.js';
import { authenticationClaims } from '../domain/authentication.js';
import type { SessionAttributes } from '../domain/session-record.js';
import { type TokenLifetimes, tokenPair } from '../domain/token-pair.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Renews how and when the user of the request's bearer was authenticated. Neither the refresh token nor its cookie
     * changes.
     * @param user the user of the bearer, as the directory has it
     * @param authentication attributes of the authentication; by default those of a password, now
     * @returns the body of the response
     * @throws SessionRevoked if the session has ended meanwhile; StoreUnavailableError
     */
    reauthenticate(
      request: FastifyRequest,
      user: DirectoryUser,
      authentication?: SessionAttributes,
    ): Promise<TokenBody>;
  }
}

async function reauthentication(
  app: FastifyInstance,
  { lifetimes }: { lifetimes: TokenLifetimes },
): Promise<void> {
  app.decorate('reauthenticate', async (request, user, authentication) => {
    const { id: uid, sid, gen: generation } = bearerOf(request);
    const renewed = await request.sessions.reauthenticate({ uid, sid }, authentication);
    if (renewed === undefined) throw refuse(SessionRevoked, { headers: { 'www-authenticate': 'Bearer' } });
    const { amr = [] } = authenticationClaims(renewed.attributes, renewed.createdAtMs);
    app.audit(request, 'reauthenticated', { uid, sid, amr });
    // The generation of the bearer: a newer one may not have reached the browser, and its token would prove that it did.
    const { access, expiresIn } = tokenPair(user, { sid, generation, ...renewed }, lifetimes);
    return { accessToken: app.tokens.access.issue(access), expiresIn };
  });
}

/** Decorates the server with `reauthenticate`. */
export default fp(reauthentication, {
  name: 'tollgate-reauthentication',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-tokens', 'tollgate-bearer', 'tollgate-audit'],
});
