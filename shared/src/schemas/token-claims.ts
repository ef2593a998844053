// The claims of both tokens. Times are whole seconds since 1970.

import { type Static, Type } from '@sinclair/typebox';
import { UserClaims } from './user-claims.js';
import { UserId, UserIdText } from './user-id.js';

const Seconds = Type.Integer({ minimum: 0 });
const Email = Type.String({ minLength: 1 });
/** The id of a session. */
export const SessionId = Type.String({ pattern: '^[A-Za-z0-9]{22}$' });
const Generation = Type.Integer({ minimum: 1 });

/** How and when a user was authenticated, if known. */
export const AuthenticationClaims = Type.Object({
  amr: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,40}$' }), {
      maxItems: 8,
      description: 'Authentication methods (RFC 8176), such as `pwd`, `otp` or `hwk`',
    }),
  ),
  auth_time: Type.Optional(
    Type.Integer({
      // Also the lowest number of seconds whose milliseconds have 13 digits.
      minimum: 1_000_000_000,
      maximum: 9_999_999_999,
      description: 'Time of authentication, in seconds since 1970 (OpenID Connect Core, 2)',
    }),
  ),
});
export type AuthenticationClaims = Static<typeof AuthenticationClaims>;

/** Claims of an access token: the user, the session and its authentication. */
export const AccessClaims = Type.Object({
  id: UserId,
  email: Email,
  sid: SessionId,
  gen: Generation,
  iat: Seconds,
  exp: Seconds,
  ...AuthenticationClaims.properties,
  claims: Type.Optional(UserClaims),
});
export type AccessClaims = Static<typeof AccessClaims>;

/**
 * Further claims of an access token in the format `public` (RFC 9068, 2.2). `sub` is the user's id as a string.
 */
export const PublicClaims = Type.Object({
  iss: Type.String({ minLength: 1 }),
  aud: Type.Union([Type.String(), Type.Array(Type.String())]),
  sub: Type.String({ minLength: 1 }),
  client_id: Type.String({ minLength: 1 }),
  jti: Type.String({ minLength: 1 }),
});
export type PublicClaims = Static<typeof PublicClaims>;

/**
 * Claims of a refresh token. `sub` is the user's id as a string (RFC 7519, 4.1.2). `prefix` is the prefix of the token's
 * cookie, if no other cookie may carry it.
 */
export const RefreshClaims = Type.Object({
  sub: UserIdText,
  email: Email,
  sid: SessionId,
  gen: Generation,
  iat: Seconds,
  exp: Seconds,
  prefix: Type.Optional(Type.Literal('__Host-')),
  // For a refresh while the directory does not respond.
  claims: Type.Optional(UserClaims),
});
export type RefreshClaims = Static<typeof RefreshClaims>;

/** The result of reading a token. Every fault except expiry has the same result. */
export type TokenReading<Claims> =
  | { readonly ok: true; readonly claims: Readonly<Claims> }
  | { readonly ok: false; readonly reason: 'invalid' | 'expired' };
