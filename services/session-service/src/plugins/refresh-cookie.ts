// The refresh cookie: reads every one that came, sets ours, expires twins.

import fastifyCookie from '@fastify/cookie';
import type { RefreshClaims } from '@tollgate/shared/schemas/token-claims.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { boundedScopes, hidesOwn, refreshPath, twinScopes } from '../domain/cookie-scope.js';
import {
  cookieValues,
  type PresentedSession,
  presentedSession,
  validSessions,
} from '../domain/refresh-cookies.js';

/** How the cookie looks (decisions 3.3). */
export interface RefreshCookieOptions {
  readonly name: string;
  readonly sameSite: 'strict' | 'lax';
  readonly publicUrl: string;
}

/** The refresh cookie of requests and replies. */
export interface RefreshCookie {
  /** The session that the request's cookies present. */
  read(request: FastifyRequest): PresentedSession;
  /** The claims of every different session that the request's cookies present. */
  sessions(request: FastifyRequest): RefreshClaims[];
  /** Sets the cookie for `maxAge` seconds. */
  set(reply: FastifyReply, token: string, maxAge: number): void;
  /** Makes the browser forget the cookie. */
  clear(reply: FastifyReply): void;
  /**
   * Makes the browser forget the cookies of this name that could lie elsewhere than ours, at most `MOST_EXPIRED` in
   * one answer. @param isSet whether the same answer sets our own cookie, which then stands behind them
   */
  clearTwins(reply: FastifyReply, isSet: boolean): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    refreshCookie: RefreshCookie;
  }
}

async function refreshCookie(app: FastifyInstance, options: RefreshCookieOptions): Promise<void> {
  await app.register(fastifyCookie, { hook: false });
  const { name, sameSite, publicUrl } = options;
  const path = refreshPath(publicUrl);
  const twins = twinScopes(new URL(publicUrl).hostname, path);
  const visibleTwins = twins.filter((scope) => !hidesOwn(scope, path));
  // The token is percent-encoded already; encoding it again would double every percent sign.
  const attributes = { httpOnly: true, secure: true, sameSite, encode: (value: string) => value } as const;

  const readings = (request: FastifyRequest) =>
    cookieValues(request.headers.cookie, name).map((token) => app.tokens.refresh.read(token));

  app.decorate('refreshCookie', {
    read: (request) => presentedSession(readings(request)),
    sessions: (request) => validSessions(readings(request)),
    set: (reply, token, maxAge) => void reply.setCookie(name, token, { ...attributes, path, maxAge }),
    clear: (reply) =>
      void reply.setCookie(name, '', { ...attributes, path, maxAge: 0, expires: new Date(0) }),
    clearTwins(reply, isSet) {
      const all = isSet ? twins : visibleTwins;
      for (const scope of boundedScopes(all, Math.floor(Math.random() * all.length))) {
        // Not `setCookie`: to it a cookie and its partitioned twin are one.
        reply.header('set-cookie', app.serializeCookie(name, '', { ...scope, maxAge: 0, secure: true }));
      }
    },
  });
}

/** Decorates the server with `refreshCookie`. */
export default fp(refreshCookie, {
  name: 'tollgate-refresh-cookie',
  fastify: '5.x',
  dependencies: ['tollgate-tokens'],
});
