// The claims and lifetimes of the two tokens that a log-in or a refresh returns.

import type { AccessClaims, RefreshClaims } from '@tollgate/shared/schemas/token-claims.js';
import { authenticationClaims } from './authentication.js';
import type { SessionAttributes } from './session-record.js';

/** The state of a session after its log-in or rotation, on the store's clock. */
export interface SessionMoment {
  readonly sid: string;
  readonly generation: number;
  readonly nowMs: number;
  readonly createdAtMs: number;
  readonly absoluteExpiresAtMs: number;
  readonly attributes: SessionAttributes;
}

/** Configured lifetimes of the two tokens, in seconds. */
export interface TokenLifetimes {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
}

/** The claims of both tokens. `expiresIn` and `maxAge` are the lifetimes of access and refresh token, in seconds. */
export interface TokenPair {
  readonly access: AccessClaims;
  readonly refresh: RefreshClaims;
  readonly expiresIn: number;
  readonly maxAge: number;
}

/** The tokens of a user's session at this moment. Neither outlives the absolute expiry of the session. */
export function tokenPair(
  user: { readonly id: number; readonly email: string },
  moment: SessionMoment,
  lifetimes: TokenLifetimes,
): TokenPair {
  const iat = Math.floor(moment.nowMs / 1000);
  const remaining = Math.max(0, Math.floor(moment.absoluteExpiresAtMs / 1000) - iat);
  const expiresIn = Math.min(lifetimes.accessSeconds, remaining);
  const maxAge = Math.min(lifetimes.refreshSeconds, remaining);
  const common = { email: user.email, sid: moment.sid, gen: moment.generation, iat };
  return {
    access: {
      ...{ id: user.id, ...common, exp: iat + expiresIn },
      ...authenticationClaims(moment.attributes, moment.createdAtMs),
    },
    refresh: { sub: String(user.id), ...common, exp: iat + maxAge },
    expiresIn,
    maxAge,
  };
}
