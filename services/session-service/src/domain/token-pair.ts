// The claims and lifetimes of the two tokens of a login or a refresh.

import type { AccessClaims, RefreshClaims, UserClaims, UserId } from '@tollgate/shared/schemas';
import { authenticationClaims, isRemembered, type SessionAttributes } from './session-record.js';

/** The state of a session after its login or rotation, on the store's clock. */
export interface SessionMoment {
  readonly sid: string;
  readonly generation: number;
  readonly nowMs: number;
  readonly createdAtMs: number;
  readonly absoluteExpiresAtMs: number;
  readonly attributes: SessionAttributes;
}

/** The user of the tokens, as in the directory. */
export interface TokenUser {
  readonly id: UserId;
  readonly email: string;
  readonly claims?: UserClaims | undefined;
}

/** Configured lifetimes of the two tokens, in seconds. */
export interface TokenLifetimes {
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
  /** Lifetime of the refresh token of a session that ends with its browser, if that is shorter. */
  readonly notRememberedSeconds: number;
}

/** The claims of both tokens. `expiresIn` is the lifetime of the access token in seconds. */
export interface TokenPair {
  readonly access: AccessClaims;
  readonly refresh: RefreshClaims;
  readonly expiresIn: number;
  /** Lifetime of the cookie in the browser, in seconds; undefined if the cookie ends with the browser. */
  readonly cookieMaxAge: number | undefined;
}

/** The tokens of a user's session at this moment. Neither outlives the absolute expiry of the session. */
export function tokenPair(user: TokenUser, moment: SessionMoment, lifetimes: TokenLifetimes): TokenPair {
  const iat = Math.floor(moment.nowMs / 1000);
  const remaining = Math.max(0, Math.floor(moment.absoluteExpiresAtMs / 1000) - iat);
  const expiresIn = Math.min(lifetimes.accessSeconds, remaining);
  const remembered = isRemembered(moment.attributes);
  const shortest = remembered ? remaining : Math.min(lifetimes.notRememberedSeconds, remaining);
  const refreshSeconds = Math.min(lifetimes.refreshSeconds, shortest);
  const common = { email: user.email, sid: moment.sid, gen: moment.generation, iat };
  const claims = user.claims && { claims: user.claims };
  return {
    access: {
      id: user.id,
      ...common,
      exp: iat + expiresIn,
      ...authenticationClaims(moment.attributes, moment.createdAtMs),
      ...claims,
    },
    refresh: { sub: String(user.id), ...common, exp: iat + refreshSeconds, ...claims },
    expiresIn,
    cookieMaxAge: remembered ? refreshSeconds : undefined,
  };
}
