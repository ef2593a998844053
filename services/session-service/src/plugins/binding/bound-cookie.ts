// The bound cookie: proves that the browser has signed with the key of its session not long ago.

import { cookieValues } from '@tollgate/shared/crypto/envelope.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { boundThumbprint, formatBoundCookie } from '../../domain/binding/bound-cookie.js';
import { boundCookieName, HOST_PREFIX } from '../../domain/presented-cookies.js';
import { type CookieOptions, cookieAttributes } from '../cookie-attributes.js';

export interface BoundCookieOptions extends CookieOptions {
  /** The keys of `REFRESH_SECRET`. */
  readonly ring: KeyRing;
  /** `BOUND_COOKIE_TTL`. */
  readonly ttlSeconds: number;
}

/** The bound cookie of requests and replies. */
export interface BoundCookieJar {
  readonly name: string;
  /** The attributes as in `Set-Cookie`, but for the lifetime. */
  readonly attributes: string;
  /** Whether the request carries one, valid or not. */
  isSent(request: FastifyRequest): boolean;
  /** The thumbprint that the request's cookies prove for this session. */
  read(request: FastifyRequest, sid: string): string | undefined;
  set(reply: FastifyReply, sid: string, thumbprint: string): void;
  /** Expires the cookie. */
  clear(reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    boundCookie: BoundCookieJar;
  }
}

async function boundCookie(app: FastifyInstance, options: BoundCookieOptions): Promise<void> {
  const { ring, ttlSeconds, cookiePrefix } = options;
  const name = boundCookieName(cookiePrefix);
  // The value names its session and nobody else can make one, so it counts under every name: a changed prefix loses none.
  const names = [boundCookieName(undefined), boundCookieName('__Secure-'), boundCookieName(HOST_PREFIX)];
  const attributes = cookieAttributes(name, options);
  const valuesOf = ({ headers }: FastifyRequest) =>
    names.flatMap((each) => cookieValues(headers.cookie, each));
  app.decorate('boundCookie', {
    name,
    attributes: app.serializeCookie(name, '', attributes).slice(`${name}=; `.length),
    isSent: (request) => valuesOf(request).length > 0,
    read: (request, sid) => boundThumbprint(ring, valuesOf(request), sid, Date.now()),
    set(reply, sid, thumbprint) {
      const expiresAt = Math.floor(Date.now() / 1000) + ttlSeconds;
      const value = formatBoundCookie(ring, { sid, thumbprint, expiresAt });
      reply.setCookie(name, value, { ...attributes, maxAge: ttlSeconds });
    },
    clear(reply) {
      reply.setCookie(name, '', { ...attributes, maxAge: 0, expires: new Date(0) });
    },
  });
}

/** Decorates the server with `boundCookie`. */
export default fp(boundCookie, {
  name: 'tollgate-bound-cookie',
  fastify: '5.x',
  dependencies: ['tollgate-refresh-cookie'],
});
