// The attributes that the refresh cookie and the bound cookie share.

import { isLoopbackHttp } from '@tollgate/shared/config/sites.js';
import { pathBelow } from '../domain/cookie-scope.js';
import { type CookiePrefix, HOST_PREFIX } from '../domain/presented-cookies.js';

/** The configuration of the cookies. */
export interface CookieOptions {
  readonly cookiePrefix: CookiePrefix;
  readonly sameSite: 'strict' | 'lax';
  readonly publicUrl: string;
}

/** What `serializeCookie` of @fastify/cookie takes. */
export interface CookieAttributes {
  readonly httpOnly: true;
  readonly secure: boolean;
  readonly sameSite: 'strict' | 'lax';
  readonly path: string;
  readonly encode: (value: string) => string;
}

/** The attributes of a cookie of this name, but for its lifetime. */
export function cookieAttributes(name: string, { sameSite, publicUrl }: CookieOptions): CookieAttributes {
  return {
    httpOnly: true,
    // WebKit drops `Secure` cookies from a loopback address without TLS.
    secure: !isLoopbackHttp(publicUrl),
    sameSite,
    path: name.startsWith(HOST_PREFIX) ? '/' : pathBelow(publicUrl, '/refresh'),
    // The values need no encoding; that of a token would escape every percent sign again.
    encode: (value) => value,
  };
}
