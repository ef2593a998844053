// The refresh cookie: reads every cookie of its names, sets ours, expires twins and cookies of other prefixes.

import fastifyCookie from '@fastify/cookie';
import { cookieValues } from '@tollgate/shared/crypto/token-text.js';
import type { RefreshClaims } from '@tollgate/shared/schemas/token-claims.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { boundedFrom, hidesOwn, pathBelow, twinScopes } from '../domain/cookie-scope.js';
import {
  cookieName,
  countingReadings,
  HOST_PREFIX,
  type PresentedSession,
  plantableNames,
  presentedSession,
  refuseHostTokens,
  validSessions,
} from '../domain/presented-cookies.js';
import { type CookieOptions, cookieAttributes } from './cookie-attributes.js';

/** The refresh cookie of requests and replies. */
export interface RefreshCookie {
  /** The session that the request's cookies present. */
  read(request: FastifyRequest): PresentedSession;
  /** The claims of each session that the request's cookies present. */
  sessions(request: FastifyRequest): RefreshClaims[];
  /**
   * Sets the cookie to a token of these claims, and expires cookies sent with other prefixes.
   * @param maxAge in seconds; without it the cookie ends with the browser
   */
  set(reply: FastifyReply, claims: RefreshClaims, maxAge: number | undefined): void;
  /** Expires the cookie under every prefix. */
  clear(reply: FastifyReply): void;
  /**
   * Expires the cookies that another host of the site could have planted, at most `MAX_EXPIRED` per response. Our own
   * cookie stays, unless it has another prefix than the configured one.
   * @param isSet whether the same response also sets our own cookie; it must be set after this call
   */
  clearTwins(reply: FastifyReply, isSet: boolean): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    refreshCookie: RefreshCookie;
  }
}

async function refreshCookie(app: FastifyInstance, options: CookieOptions): Promise<void> {
  await app.register(fastifyCookie, { hook: false });
  const { cookiePrefix: prefix, publicUrl } = options;
  const name = cookieName(prefix);
  const hostName = cookieName(HOST_PREFIX);
  const plantable = plantableNames(prefix);
  const path = pathBelow(publicUrl, '/refresh');
  const twins = twinScopes(new URL(publicUrl).hostname, path);
  const visibleTwins = twins.filter((scope) => !hidesOwn(scope, path));
  const attributesOf = (cookie: string) => cookieAttributes(cookie, options);
  const { secure } = attributesOf(name);

  const valuesOf = (request: FastifyRequest, cookie: string) => cookieValues(request.headers.cookie, cookie);
  const readings = (request: FastifyRequest, ...names: string[]) =>
    names.flatMap((each) => valuesOf(request, each)).map((token) => app.tokens.refresh.read(token));
  const carries = (request: FastifyRequest) => (cookie: string) => valuesOf(request, cookie).length > 0;
  const isOther = (cookie: string) => cookie !== name;
  const expire = (reply: FastifyReply, cookie: string) =>
    reply.setCookie(cookie, '', { ...attributesOf(cookie), maxAge: 0, expires: new Date(0) });

  app.decorate('refreshCookie', {
    read: (request) =>
      presentedSession(countingReadings(readings(request, hostName), readings(request, ...plantable))),
    sessions: (request) =>
      validSessions([...readings(request, hostName), ...refuseHostTokens(readings(request, ...plantable))]),
    set(reply, claims, maxAge) {
      const others = [hostName, ...plantable].filter(isOther).filter(carries(reply.request));
      for (const other of others) expire(reply, other);
      const token = app.tokens.refresh.issue(prefix === HOST_PREFIX ? { ...claims, prefix } : claims);
      const lifetime = maxAge === undefined ? {} : { maxAge };
      reply.setCookie(name, token, { ...attributesOf(name), ...lifetime });
    },
    clear(reply) {
      expire(reply, name);
      // Cookies with the path of `/refresh` are not sent to every route that clears.
      for (const other of plantable.filter(isOther)) expire(reply, other);
      if (isOther(hostName) && carries(reply.request)(hostName)) expire(reply, hostName);
    },
    clearTwins(reply, isSet) {
      const all = plantable.flatMap((cookie) => {
        const isOld = isOther(cookie);
        if (isSet && isOld) expire(reply, cookie);
        if (isOld && !carries(reply.request)(cookie)) return [];
        return (isSet ? twins : visibleTwins).map((scope) => ({ cookie, scope }));
      });
      for (const { cookie, scope } of boundedFrom(all, Math.floor(Math.random() * all.length))) {
        // Browsers reject a partitioned cookie without `Secure`.
        const expired = { ...scope, maxAge: 0, secure: secure || scope.partitioned === true };
        // Not `setCookie`: it treats a cookie and its partitioned twin as the same one.
        reply.header('set-cookie', app.serializeCookie(cookie, '', expired));
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
