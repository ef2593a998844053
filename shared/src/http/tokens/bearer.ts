// Opens protected routes to who presents a valid access token of a session that has not ended.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { MessageKey } from '../../messages/en.js';
import type { AccessClaims, TokenReading } from '../../schemas/token-claims.js';
import { SessionRevoked, TokenInvalid } from '../errors/bearer-errors.js';
import { refuse } from '../errors/errors.js';
import { sendError } from '../errors/send-error.js';
import { bearerToken } from './bearer-token.js';

/** What decides about a bearer. */
export interface BearerOptions {
  readonly tokens: { read(token: string): TokenReading<AccessClaims> };
  /** Without it the end of a session shows when its access tokens expire. */
  readonly revocations?: { isRevoked(sid: string): Promise<boolean> } | undefined;
  /** How long a token may live; without it as long as it says. */
  readonly lifetimes?: { allows(seconds: number): Promise<boolean> } | undefined;
  /** Told of each token that was verified. */
  readonly onVerified?: (claims: Readonly<AccessClaims>) => void;
}

/** What an access token is worth now. */
export type AccessVerdict =
  | { readonly ok: true; readonly claims: Readonly<AccessClaims> }
  | { readonly ok: false; readonly reason: 'invalid' | 'expired' | 'revoked' };

/** An `onRequest` hook that lets in who presents a valid bearer. */
export type RequireBearer = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Looks at an access token. Never throws; asks the store only while the revocation log is lost, and about a token that
     * lives longer than `ACCESS_TTL`.
     */
    verifyAccess(token: string): Promise<AccessVerdict>;
    /** An `onRequest` hook: answers a request without a valid bearer with 401, else sets `request.bearer`. */
    requireBearer: RequireBearer;
  }
  interface FastifyRequest {
    /** The claims of the access token; null before `requireBearer`, and on a route without it. */
    bearer: Readonly<AccessClaims> | null;
  }
}

async function bearer(
  app: FastifyInstance,
  { tokens, revocations, lifetimes, onVerified = () => {} }: BearerOptions,
): Promise<void> {
  app.decorateRequest('bearer', null);
  app.decorate('verifyAccess', async (token: string): Promise<AccessVerdict> => {
    const reading = tokens.read(token);
    if (!reading.ok) return reading;
    const { iat, exp } = reading.claims;
    if ((await lifetimes?.allows(exp - iat)) === false) return { ok: false, reason: 'invalid' };
    if (await revocations?.isRevoked(reading.claims.sid)) return { ok: false, reason: 'revoked' };
    onVerified(reading.claims);
    return reading;
  });
  app.decorate('requireBearer', async (request: FastifyRequest, reply: FastifyReply) => {
    const verdict = await app.verifyAccess(bearerToken(request.headers.authorization));
    if (verdict.ok) {
      request.bearer = verdict.claims;
      return undefined;
    }
    const headers = { 'www-authenticate': 'Bearer', 'cache-control': 'no-store' };
    const refusal = refuse(verdict.reason === 'revoked' ? SessionRevoked : TokenInvalid, { headers });
    if (app.hasPlugin('tollgate-errors')) throw refusal;
    // The error handler of another service does not know our codes and languages.
    const { code, statusCode: status = 401 } = refusal;
    return sendError(request, reply, {
      status,
      code: code.toLowerCase() as MessageKey,
      details: { headers },
    });
  });
}

/** Claims of a request that `requireBearer` let in. */
export function bearerOf(request: FastifyRequest): Readonly<AccessClaims> {
  if (request.bearer === null) throw new TypeError('the route has no requireBearer hook');
  return request.bearer;
}

/** Decorates the server with `requireBearer` and `verifyAccess`. */
export default fp(bearer, { name: 'tollgate-bearer', fastify: '5.x' });
