// Opens protected routes to who presents a valid access token.

import { refuse } from '@tollgate/shared/http/errors.js';
import type { AccessClaims } from '@tollgate/shared/schemas/token-claims.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { TokenInvalid } from '../errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** An `onRequest` hook: refuses a request without a valid bearer, else sets `request.bearer`. */
    requireBearer(request: FastifyRequest): Promise<void>;
  }
  interface FastifyRequest {
    bearer: Readonly<AccessClaims> | null;
  }
}

const SCHEME = 'bearer ';

async function bearer(app: FastifyInstance): Promise<void> {
  app.decorateRequest('bearer', null);
  app.decorate('requireBearer', async (request: FastifyRequest) => {
    const reading = app.tokens.access.read(bearerToken(request.headers.authorization));
    if (!reading.ok) throw refuse(TokenInvalid, { headers: { 'www-authenticate': 'Bearer' } });
    request.bearer = reading.claims;
  });
}

/** The token after the scheme, whose name has no case (RFC 9110, 11.1); empty when there is none. */
function bearerToken(header: string | undefined): string {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return '';
  return header.slice(SCHEME.length).trim();
}

/** Claims of a request that `requireBearer` let in. */
export function bearerOf(request: FastifyRequest): Readonly<AccessClaims> {
  if (request.bearer === null) throw new TypeError('the route has no requireBearer hook');
  return request.bearer;
}

/** Decorates the server with `requireBearer`. */
export default fp(bearer, { name: 'tollgate-bearer', fastify: '5.x', dependencies: ['tollgate-tokens'] });
