// How and when the user of a session was authenticated: the claims `amr` and `auth_time`, and their form in a record.

import type { AuthenticationClaims } from '@tollgate/shared/schemas/token-claims.js';
import type { SessionAttributes } from './session-record.js';

/** The methods of a password (RFC 8176, 2). */
export const PASSWORD_METHODS = 'pwd';

/**
 * The attributes of an authentication that an application vouches for. Both are set even if the application did not say,
 * because a session without them was opened with a password.
 */
export function authenticationAttributes({ amr = [], auth_time }: AuthenticationClaims): SessionAttributes {
  return { amr: amr.join(','), auth_time: auth_time === undefined ? '' : String(auth_time * 1000) };
}

/** The attributes of an authentication with a password. @param nowMs milliseconds since 1970, on the store's clock */
export function passwordAttributes(nowMs: number): SessionAttributes {
  return { amr: PASSWORD_METHODS, auth_time: String(nowMs) };
}

/**
 * The claims of a session: those of its attributes, or those of the password at its start.
 * @param createdAtMs start of the session, in milliseconds since 1970
 */
export function authenticationClaims(
  attributes: SessionAttributes,
  createdAtMs: number,
): AuthenticationClaims {
  const { amr = PASSWORD_METHODS, auth_time: timeMs = String(createdAtMs) } = attributes;
  return {
    ...(amr === '' ? {} : { amr: amr.split(',') }),
    ...(timeMs === '' ? {} : { auth_time: Math.floor(Number(timeMs) / 1000) }),
  };
}
