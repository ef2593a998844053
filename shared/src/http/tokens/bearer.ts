// Protects routes with bearer tokens: valid access tokens of sessions that have not ended.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { MessageKey } from '../../messages/en.js';
import type { AccessClaims, TokenReading } from '../../schemas/token-claims.js';
import type { AnswerLimit } from '../../store/store.js';
import {
  type CodedErrorClass,
  InsufficientUserAuthentication,
  refuse,
  SessionRevoked,
  TokenInvalid,
} from '../errors/errors.js';
import { sendError } from '../errors/send-error.js';
import answerLimit, { answerLimitOf } from '../server/answer-limit.js';
import { bearerToken } from './bearer-token.js';
import { CLOCK_TOLERANCE_MS } from './token-codec.js';

/** The options of the plugin. */
export interface BearerOptions {
  /** Reads tokens: at once, or with a promise while it fetches the key of a token. */
  readonly tokens: {
    read(token: string): TokenReading<AccessClaims> | Promise<TokenReading<AccessClaims>>;
  };
  /** Without it, the tokens of an ended session stay valid until they expire. */
  readonly revocations?:
    | { isRevoked(sid: string, limit?: AnswerLimit): boolean | Promise<boolean> }
    | undefined;
  /** Returns whether a token may live that many seconds; without it, any lifetime is accepted. */
  readonly lifetimes?:
    | { allows(seconds: number, limit?: AnswerLimit): boolean | Promise<boolean> }
    | undefined;
  /** Called with the claims of each verified token. */
  readonly onVerified?: (claims: Readonly<AccessClaims>) => void;
}

/** The verdict on an access token. */
export type AccessVerdict =
  | { readonly ok: true; readonly claims: Readonly<AccessClaims> }
  | { readonly ok: false; readonly reason: 'invalid' | 'expired' | 'revoked' };

/** An `onRequest` hook that accepts requests with a valid bearer token. */
export type RequireBearer = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | undefined>;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Verifies an access token. Never throws. Reads the store only while the revocation log is lost, and for a token with a
     * longer lifetime than `ACCESS_TTL`. Fetches public keys only for a token with an unknown key id.
     */
    verifyAccess(token: string): Promise<AccessVerdict>;
    /**
     * An `onRequest` hook. Sets `request.bearer`, or responds with 401 `token_invalid` or `session_revoked` to a request
     * without a valid bearer token.
     */
    requireBearer: RequireBearer;
  }
  interface FastifyRequest {
    /** The claims of the access token; null on a route without `requireBearer`. */
    bearer: Readonly<AccessClaims> | null;
  }
}

/**
 * Returns a function that verifies a token: its signature and times, its lifetime, and whether its session has ended. It
 * never throws.
 */
export function createTokenVerifier({
  tokens,
  revocations,
  lifetimes,
  onVerified = () => {},
}: BearerOptions): (token: string, limit?: AnswerLimit) => Promise<AccessVerdict> {
  return async (token, limit) => {
    // Each `await` costs a microtask turn, and the results are nearly always known.
    const read = tokens.read(token);
    const reading = 'ok' in read ? read : await read;
    if (!reading.ok) return reading;
    const { iat, exp } = reading.claims;
    const isAllowed = lifetimes?.allows(exp - iat, limit) ?? true;
    if (isAllowed !== true && !(await isAllowed)) return { ok: false, reason: 'invalid' };
    const isRevoked = revocations?.isRevoked(reading.claims.sid, limit) ?? false;
    if (isRevoked !== false && (await isRevoked)) return { ok: false, reason: 'revoked' };
    onVerified(reading.claims);
    return reading;
  };
}

async function bearerTokens(app: FastifyInstance, options: BearerOptions): Promise<void> {
  await app.register(answerLimit);
  app.decorateRequest('bearer', null);
  const verify = createTokenVerifier(options);
  app.decorate('verifyAccess', (token: string) => verify(token));
  app.decorate('requireBearer', async (request: FastifyRequest, reply: FastifyReply) => {
    const verdict = await verify(bearerToken(request.headers.authorization), answerLimitOf(request));
    if (verdict.ok) {
      request.bearer = verdict.claims;
      return undefined;
    }
    return refuseBearer(
      request,
      reply,
      verdict.reason === 'revoked' ? SessionRevoked : TokenInvalid,
      'Bearer',
    );
  });
}

/** Responds with 401 with a `WWW-Authenticate`. @throws the error if the server has our error handler */
function refuseBearer(
  request: FastifyRequest,
  reply: FastifyReply,
  ErrorClass: CodedErrorClass,
  challenge: string,
): FastifyReply {
  const headers = { 'www-authenticate': challenge, 'cache-control': 'no-store' };
  const refusal = refuse(ErrorClass, { headers });
  if (request.server.hasPlugin('tollgate-errors')) throw refusal;
  // An application's error handler does not know our codes and languages.
  const { code, statusCode: status = 401 } = refusal;
  return sendError(request, reply, { status, code: code.toLowerCase() as MessageKey, details: { headers } });
}

/** Requirements of a route on a bearer beyond a valid token. */
export interface BearerRule {
  /**
   * Longest time since the user's authentication, in whole seconds from 1: `auth_time` of the token, with 5 s of tolerance
   * for the clocks. A token without it is rejected.
   */
  readonly maxAuthAge?: number;
}

/**
 * Returns an `onRequest` hook: `requireBearer`, and the rule's requirements. It responds with 401
 * `insufficient_user_authentication` with the `WWW-Authenticate` of RFC 9470 to a bearer whose user was authenticated too
 * long ago; the page then calls `POST /reauthenticate`, and repeats the request with the new token.
 * @throws RangeError for an invalid rule; TypeError, per request, without the plugin
 */
export function bearer({ maxAuthAge }: BearerRule = {}): RequireBearer {
  if (maxAuthAge !== undefined && !(Number.isSafeInteger(maxAuthAge) && maxAuthAge > 0))
    throw new RangeError('maxAuthAge must be a whole number of seconds from 1');
  return async (request, reply) => {
    const refused = await request.server.requireBearer(request, reply);
    if (refused !== undefined || maxAuthAge === undefined) return refused;
    const oldest = Math.floor((Date.now() - CLOCK_TOLERANCE_MS) / 1000) - maxAuthAge;
    if ((bearerOf(request).auth_time ?? Number.NEGATIVE_INFINITY) >= oldest) return undefined;
    const error = 'error="insufficient_user_authentication"';
    const reason = 'error_description="The user must be authenticated again"';
    const challenge = `Bearer ${error}, ${reason}, max_age="${maxAuthAge}"`;
    return refuseBearer(request, reply, InsufficientUserAuthentication, challenge);
  };
}

/** Returns the claims of a request that passed `requireBearer`. @throws TypeError on a route without that hook */
export function bearerOf(request: FastifyRequest): Readonly<AccessClaims> {
  if (request.bearer === null) throw new TypeError('the route has no requireBearer hook');
  return request.bearer;
}

/** Decorates the server with `requireBearer` and `verifyAccess`. */
export default fp(bearerTokens, { name: 'tollgate-bearer', fastify: '5.x' });
