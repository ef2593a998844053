// The page cookie: tells a server that renders pages which user is logged in. Only requests that change nothing count.

import { isLoopbackHttp } from '@tollgate/shared/config';
import { cookieValues } from '@tollgate/shared/crypto';
import { answerLimitOf, appendVary } from '@tollgate/shared/http';
import type { AccessClaims } from '@tollgate/shared/schemas';
import {
  type AccessVerdict,
  type BearerOptions,
  createTokenVerifier,
  openPageTokens,
  type PageTokens,
  type TokenOptions,
} from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HOST_PREFIX, MAX_COOKIES } from '../domain/presented-cookies.js';

/** The page cookie of requests and replies. */
export interface PageCookie {
  /** The keys of public page tokens; undefined without `ACCESS_SIGNING_KEYS`. */
  readonly keys: PageTokens['keys'];
  /**
   * Sets the cookie to a token of these claims. One that is too long for browsers is not set, and an earlier cookie expires.
   * @param maxAge in seconds; without it the cookie ends with the browser
   */
  set(reply: FastifyReply, claims: AccessClaims, maxAge: number | undefined): void;
  /** Forbids caches to store this response or to use it for others. */
  keepPrivate(reply: FastifyReply): void;
  /** Expires the cookie. */
  clear(reply: FastifyReply): void;
  /** Expires the cookie of an ended session, if the request has it. */
  clearEnded(reply: FastifyReply, sid: string): void;
  /** Verifies the cookie of a request. Never throws. */
  verify(request: FastifyRequest): Promise<AccessVerdict>;
}

export interface PageCookieOptions {
  readonly publicUrl: string;
  readonly tokenKeys: TokenOptions;
  /** Checks of tokens besides their signature, as for access tokens. */
  readonly checks: Omit<BearerOptions, 'tokens'>;
}

/** The longest `Set-Cookie`, in bytes. Browsers drop cookies of more than 4,096, and count attributes differently. */
const MAX_BYTES = 3800;

/** The name of the cookie. Browsers store the prefix only with `Secure`. */
export function pageCookieName(publicUrl: string): string {
  return isLoopbackHttp(publicUrl) ? 'page' : `${HOST_PREFIX}page`;
}

/** Opens the page cookie of a server that has @fastify/cookie. */
export function openPageCookie(
  app: FastifyInstance,
  { publicUrl, tokenKeys, checks }: PageCookieOptions,
): PageCookie {
  const tokens = openPageTokens(tokenKeys);
  const verify = createTokenVerifier({ ...checks, tokens });
  const name = pageCookieName(publicUrl);
  const attributes = {
    path: '/',
    httpOnly: true,
    // WebKit drops `Secure` cookies from a loopback address without TLS.
    secure: !isLoopbackHttp(publicUrl),
    sameSite: 'lax',
    // The token needs no encoding.
    encode: (value: string) => value,
  } as const;
  let isWarned = false;

  const valuesOf = ({ headers }: FastifyRequest) => cookieValues(headers.cookie, name).slice(0, MAX_COOKIES);
  const keepPrivate = (reply: FastifyReply) => {
    reply.header('cache-control', 'private, no-store');
    appendVary(reply, 'Cookie');
  };
  const append = (reply: FastifyReply, header: string) => {
    keepPrivate(reply);
    // Not `setCookie`, whose cookies replace each other.
    reply.header('set-cookie', header);
  };
  const clear = (reply: FastifyReply) =>
    append(reply, app.serializeCookie(name, '', { ...attributes, maxAge: 0, expires: new Date(0) }));

  return {
    keys: tokens.keys,
    set(reply, claims, maxAge) {
      const lifetime = maxAge === undefined ? {} : { maxAge };
      const header = app.serializeCookie(name, tokens.issue(claims), { ...attributes, ...lifetime });
      const bytes = Buffer.byteLength(header);
      if (bytes <= MAX_BYTES) {
        append(reply, header);
        return;
      }
      if (!isWarned) {
        isWarned = true;
        app.log.warn(
          { variable: 'PAGE_COOKIE', bytes, limit: MAX_BYTES, uid: claims.id },
          'a page cookie is too long for browsers, so pages do not see this user: shorten the claims',
        );
      }
      clear(reply);
    },
    keepPrivate,
    clear,
    clearEnded(reply, sid) {
      const readings = valuesOf(reply.request).map((value) => tokens.read(value));
      if (readings.some((reading) => reading.ok && reading.claims.sid === sid)) clear(reply);
    },
    async verify(request) {
      let worst: AccessVerdict = { ok: false, reason: 'invalid' };
      for (const value of valuesOf(request)) {
        const verdict = await verify(value, answerLimitOf(request));
        if (verdict.ok) return verdict;
        if (verdict.reason !== 'invalid') worst = verdict;
      }
      return worst;
    },
  };
}
