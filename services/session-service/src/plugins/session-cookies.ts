// The cookies of a session. This file has the refresh cookie, page-cookie.ts the page cookie.

import fastifyCookie from '@fastify/cookie';
import { isLoopbackHttp } from '@tollgate/shared/config';
import { cookieValues } from '@tollgate/shared/crypto';
import type { RefreshClaims } from '@tollgate/shared/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  boundedFrom,
  type CookiePrefix,
  cookieName,
  countingReadings,
  HOST_PREFIX,
  MAX_COOKIES,
  type PresentedSession,
  pathBelow,
  plantableNames,
  presentedSession,
  refuseHostTokens,
  twinScopes,
  validSessions,
} from '../domain/presented-cookies.js';
import { openPageCookie, type PageCookie, type PageCookieOptions } from './page-cookie.js';

/** The configuration of the cookies. */
export interface CookieOptions {
  readonly cookiePrefix: CookiePrefix;
  readonly sameSite: 'strict' | 'lax';
  readonly publicUrl: string;
}

/** The refresh cookie of requests and replies. */
interface RefreshCookie {
  /** The session that the request's cookies present. */
  read(request: FastifyRequest): PresentedSession;
  /** The claims of each session that the request's cookies present; too many cookies of one name are not opened. */
  sessions(request: FastifyRequest): RefreshClaims[];
  /**
   * The claims of each session that any cookie of the request presents, for a logout: planted cookies must not keep the
   * owner's session alive. The header is at most 16 KiB, so at most some 40 tokens are opened.
   */
  everySession(request: FastifyRequest): RefreshClaims[];
  /**
   * Sets the cookie to a token of these claims, in the first `Set-Cookie` header, and expires our received cookies with
   * other prefixes.
   * @param maxAge in seconds; without it the cookie ends with the browser
   */
  set(reply: FastifyReply, claims: RefreshClaims, maxAge: number | undefined): void;
  /** Expires the cookie under every prefix. */
  clear(reply: FastifyReply): void;
  /**
   * Expires the cookies that another host of the site could have planted, at most `MAX_EXPIRED` per response; our own cookie
   * stays. Only for a request that presented a conflict: other applications of the site may own cookies of this name. If the
   * response sets our own cookie, it must be set before this call.
   */
  clearTwins(reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    cookies: {
      readonly refresh: RefreshCookie;
      /** Null unless `PAGE_COOKIE` is set. */
      readonly page: PageCookie | null;
    };
  }
}

/** The options of the plugin. */
interface SessionCookiesOptions extends CookieOptions {
  /** Null unless `PAGE_COOKIE` is set. */
  readonly page: PageCookieOptions | null;
}

/** The options of `serializeCookie` of @fastify/cookie. */
interface CookieAttributes {
  readonly httpOnly: true;
  readonly secure: boolean;
  readonly sameSite: 'strict' | 'lax';
  readonly path: string;
  readonly encode: (value: string) => string;
}

/** The attributes of a cookie of this name, without its lifetime. */
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

function openRefreshCookie(app: FastifyInstance, options: CookieOptions): RefreshCookie {
  const { cookiePrefix: prefix, publicUrl } = options;
  const name = cookieName(prefix);
  const hostName = cookieName(HOST_PREFIX);
  const plantable = plantableNames(prefix);
  const path = pathBelow(publicUrl, '/refresh');
  const twins = twinScopes(new URL(publicUrl).hostname, path);
  // The same for every response; computed once.
  const known = new Map(
    [hostName, ...plantable].map((cookie) => [cookie, cookieAttributes(cookie, options)]),
  );
  const attributesOf = (cookie: string) => known.get(cookie) ?? cookieAttributes(cookie, options);
  const { secure } = attributesOf(name);

  const valuesOf = (request: FastifyRequest, cookie: string) => cookieValues(request.headers.cookie, cookie);
  const isFlood = (values: readonly string[]) => values.length > MAX_COOKIES;
  const readAll = (values: readonly string[]) => values.map((token) => app.tokens.refresh.read(token));
  const readings = (request: FastifyRequest, ...names: string[]) =>
    names.flatMap((each) => readAll(valuesOf(request, each)));
  const carries = (request: FastifyRequest) => (cookie: string) => valuesOf(request, cookie).length > 0;
  /** Whether one of the cookies is or was a token of ours, and not a cookie of another application. */
  const carriesOwn = (request: FastifyRequest) => (cookie: string) =>
    readAll(valuesOf(request, cookie).slice(0, MAX_COOKIES)).some(
      (reading) => reading.ok || reading.reason === 'expired',
    );
  const sessionsOf = (request: FastifyRequest, names: readonly string[]) => {
    const host = names.includes(hostName) ? readings(request, hostName) : [];
    const others = readings(request, ...plantable.filter((each) => names.includes(each)));
    return validSessions([...host, ...refuseHostTokens(others)]);
  };
  const isOther = (cookie: string) => cookie !== name;
  const expire = (reply: FastifyReply, cookie: string) =>
    reply.setCookie(cookie, '', { ...attributesOf(cookie), maxAge: 0, expires: new Date(0) });

  return {
    read(request) {
      const hostValues = valuesOf(request, hostName);
      const host = isFlood(hostValues) ? [] : readAll(hostValues);
      // Cookies planted under the other names disturb no valid cookie of this one.
      if (host.some(({ ok }) => ok)) return presentedSession(countingReadings(host, []));
      const others = plantable.map((each) => valuesOf(request, each));
      if (others.some(isFlood)) return { ok: false, reason: 'flood' };
      return presentedSession(countingReadings(host, readAll(others.flat())));
    },
    sessions(request) {
      const isOpened = (cookie: string) => !isFlood(valuesOf(request, cookie));
      return sessionsOf(request, [hostName, ...plantable].filter(isOpened));
    },
    everySession: (request) => sessionsOf(request, [hostName, ...plantable]),
    set(reply, claims, maxAge) {
      const token = app.tokens.refresh.issue(prefix === HOST_PREFIX ? { ...claims, prefix } : claims);
      const lifetime = maxAge === undefined ? {} : { maxAge };
      // Not `setCookie`, whose cookies follow headers that are set directly.
      reply.header('set-cookie', app.serializeCookie(name, token, { ...attributesOf(name), ...lifetime }));
      const others = [hostName, ...plantable].filter(isOther).filter(carriesOwn(reply.request));
      for (const other of others) expire(reply, other);
    },
    clear(reply) {
      expire(reply, name);
      // Cookies with the path of `/refresh` are not sent to every route that clears.
      for (const other of plantable.filter(isOther)) expire(reply, other);
      if (isOther(hostName) && carries(reply.request)(hostName)) expire(reply, hostName);
    },
    clearTwins(reply) {
      const all = plantable
        .filter(carries(reply.request))
        .flatMap((cookie) => twins.map((scope) => ({ cookie, scope })));
      for (const { cookie, scope } of boundedFrom(all, Math.floor(Math.random() * all.length))) {
        // Browsers reject a partitioned cookie without `Secure`.
        const expired = { ...scope, maxAge: 0, secure: secure || scope.partitioned === true };
        // Not `setCookie`: it treats a cookie and its partitioned twin as the same one.
        reply.header('set-cookie', app.serializeCookie(cookie, '', expired));
      }
    },
  };
}

async function sessionCookies(app: FastifyInstance, options: SessionCookiesOptions): Promise<void> {
  await app.register(fastifyCookie, { hook: false });
  app.decorate('cookies', {
    refresh: openRefreshCookie(app, options),
    page: options.page && openPageCookie(app, options.page),
  });
}

/** Decorates the server with `cookies`. */
export default fp(sessionCookies, {
  name: 'tollgate-session-cookies',
  fastify: '5.x',
  dependencies: ['tollgate-tokens'],
});
