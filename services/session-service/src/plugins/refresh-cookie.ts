// The refresh cookie: reads every one that came, sets ours, expires twins and cookies of other names.

import fastifyCookie from '@fastify/cookie';
import { isLoopbackHttp } from '@tollgate/shared/config/sites.js';
import type { RefreshClaims } from '@tollgate/shared/schemas/token-claims.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  type CookiePrefix,
  cookieName,
  countingReadings,
  HOST_PREFIX,
  plantableNames,
  unbound,
} from '../domain/cookie-names.js';
import { bounded, hidesOwn, refreshPath, twinScopes } from '../domain/cookie-scope.js';
import {
  cookieValues,
  type PresentedSession,
  presentedSession,
  validSessions,
} from '../domain/refresh-cookies.js';

/** How the cookie looks (decisions 3.3). */
export interface RefreshCookieOptions {
  readonly cookiePrefix: CookiePrefix;
  readonly sameSite: 'strict' | 'lax';
  readonly publicUrl: string;
}

/** The refresh cookie of requests and replies. */
export interface RefreshCookie {
  /** The session that the request's cookies present. */
  read(request: FastifyRequest): PresentedSession;
  /** The claims of every different session that the request's cookies present. */
  sessions(request: FastifyRequest): RefreshClaims[];
  /** Sets the cookie, with a token of these claims, for `maxAge` seconds, in place of those that came by other names. */
  set(reply: FastifyReply, claims: RefreshClaims, maxAge: number): void;
  /** Makes the browser forget the cookie, by whatever name it lies there. */
  clear(reply: FastifyReply): void;
  /**
   * Makes the browser forget the cookies that others could have planted, at most `MOST_EXPIRED` in one answer. Our own
   * stays, unless it has another name than the one that is set. @param isSet whether the same answer sets our own cookie, which then stands behind them
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
  const { cookiePrefix: prefix, sameSite, publicUrl } = options;
  const name = cookieName(prefix);
  const hostName = cookieName(HOST_PREFIX);
  const plantable = plantableNames(prefix);
  const path = refreshPath(publicUrl);
  const twins = twinScopes(new URL(publicUrl).hostname, path);
  const visibleTwins = twins.filter((scope) => !hidesOwn(scope, path));
  // WebKit keeps no `Secure` cookie of a loopback address without TLS.
  const secure = !isLoopbackHttp(publicUrl);
  // The token is percent-encoded already; encoding it again would double every percent sign.
  const attributes = { httpOnly: true, secure, sameSite, encode: (value: string) => value } as const;
  const pathOf = (cookie: string) => (cookie === hostName ? '/' : path);

  const valuesOf = (request: FastifyRequest, cookie: string) => cookieValues(request.headers.cookie, cookie);
  const readings = (request: FastifyRequest, ...names: string[]) =>
    names.flatMap((each) => valuesOf(request, each)).map((token) => app.tokens.refresh.read(token));
  const carries = (request: FastifyRequest) => (cookie: string) => valuesOf(request, cookie).length > 0;
  const isOther = (cookie: string) => cookie !== name;
  const forget = (reply: FastifyReply, cookie: string) =>
    reply.setCookie(cookie, '', { ...attributes, path: pathOf(cookie), maxAge: 0, expires: new Date(0) });

  app.decorate('refreshCookie', {
    read: (request) =>
      presentedSession(countingReadings(readings(request, hostName), readings(request, ...plantable))),
    sessions: (request) =>
      validSessions([...readings(request, hostName), ...unbound(readings(request, ...plantable))]),
    set(reply, claims, maxAge) {
      const others = [hostName, ...plantable].filter(isOther).filter(carries(reply.request));
      for (const other of others) forget(reply, other);
      const token = app.tokens.refresh.issue(prefix === HOST_PREFIX ? { ...claims, prefix } : claims);
      reply.setCookie(name, token, { ...attributes, path: pathOf(name), maxAge });
    },
    clear(reply) {
      forget(reply, name);
      // Those under the path of `/refresh` are not sent to every route that clears.
      for (const other of plantable.filter(isOther)) forget(reply, other);
      if (isOther(hostName) && carries(reply.request)(hostName)) forget(reply, hostName);
    },
    clearTwins(reply, isSet) {
      const all = plantable.flatMap((cookie) => {
        const isOld = isOther(cookie);
        if (isSet && isOld) forget(reply, cookie);
        if (isOld && !carries(reply.request)(cookie)) return [];
        return (isSet ? twins : visibleTwins).map((scope) => ({ cookie, scope }));
      });
      for (const { cookie, scope } of bounded(all, Math.floor(Math.random() * all.length))) {
        // Browsers take no partitioned cookie that is not `Secure`.
        const lapsed = { ...scope, maxAge: 0, secure: secure || scope.partitioned === true };
        // Not `setCookie`: to it a cookie and its partitioned twin are one.
        reply.header('set-cookie', app.serializeCookie(cookie, '', lapsed));
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
