// Checks that a single variable's schema cannot express. Each returns a line per mistake.

import { isIP } from 'node:net';
import { parseStoreUrl } from '../store/store-url.js';
import { cacheStoreUrlOf, storeUrlOf } from './fallbacks.js';
import { isLoopbackHost, isTestHost } from './sites.js';

/** Checks that `PUBLIC_URL` is an http(s) address, encrypted in production unless it is a loopback address. */
export function checkPublicUrl(values: {
  readonly PUBLIC_URL?: string | undefined;
  readonly NODE_ENV?: string | undefined;
}): string[] {
  const text = values.PUBLIC_URL;
  if (text === undefined) return [];
  const url = parseHttpUrl(text);
  if (url === null || /[?#]/.test(text)) {
    return ['PUBLIC_URL must be an http:// or https:// address without query, fragment, user or password'];
  }
  // A Path attribute ends at a semicolon (RFC 6265, section 4.1.1).
  if (url.pathname.includes(';'))
    return ['PUBLIC_URL must have no ; in its path: no cookie can be set for such a path'];
  if (values.NODE_ENV === 'production' && url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return [`PUBLIC_URL must begin with https:// with NODE_ENV=production, not ${JSON.stringify(text)}`];
  }
  return [];
}

/**
 * Returns a line if `PUBLIC_URL` is plain http on another machine than the browser's. The cookies are `Secure`, and browsers
 * drop them there.
 */
export function plainHttpWarning({ PUBLIC_URL }: { readonly PUBLIC_URL: string }): string[] {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return [];
  return [
    `PUBLIC_URL ${PUBLIC_URL} is plain http: browsers drop its Secure cookies, so every session ends with its page`,
  ];
}

/** Returns a line if `AUDIT_LOG_DAYS` is set in vain: a service cannot remove lines from its standard output. */
export function auditDaysWarning(values: {
  readonly AUDIT_LOG?: string | undefined;
  readonly AUDIT_LOG_DAYS?: number | undefined;
}): string[] {
  if (values.AUDIT_LOG_DAYS === undefined || values.AUDIT_LOG !== undefined) return [];
  return ['AUDIT_LOG_DAYS has no effect without AUDIT_LOG'];
}

/** Checks that `CORS_ORIGIN` is an origin exactly as browsers send it. */
export function checkCorsOrigin(origin: string | undefined): string[] {
  if (origin === undefined) return [];
  if (/[\s,;]/.test(origin.trim())) {
    return ['CORS_ORIGIN must be one origin such as https://app.example.com'];
  }
  const url = parseHttpUrl(origin);
  if (url?.origin === origin) return [];
  const meant = url === null ? 'one origin such as https://app.example.com' : url.origin;
  return [`CORS_ORIGIN must be ${meant}${url === null ? '' : `, not ${JSON.stringify(origin)}`}`];
}

/** Checks that `COOKIE_PREFIX` is used with https: browsers accept cookies with this prefix only with `Secure`. */
export function checkCookiePrefix(values: {
  readonly COOKIE_PREFIX?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
}): string[] {
  const { COOKIE_PREFIX, PUBLIC_URL = '' } = values;
  if (COOKIE_PREFIX === undefined || !/^http:/i.test(PUBLIC_URL)) return [];
  return [
    `COOKIE_PREFIX must be unset unless PUBLIC_URL begins with https://, not ${JSON.stringify(PUBLIC_URL)}`,
  ];
}

/** Checks that `TRUST_PROXY` contains addresses, ranges, `loopback` and `uniquelocal`. */
export function checkTrustProxy(proxies: readonly string[] | undefined): string[] {
  return (proxies ?? []).flatMap((proxy) => {
    if (proxy === 'loopback' || proxy === 'uniquelocal' || isIP(proxy) !== 0) return [];
    if (/^\d+$/.test(proxy)) {
      return [
        `TRUST_PROXY must list the proxies' addresses, not "${proxy}": a number of hops admits forged addresses as soon as one proxy is missing`,
      ];
    }
    const [address = '', prefix = '', ...rest] = proxy.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const isRange =
      isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits && rest.length === 0;
    if (isRange && Number(prefix) > 0) return [];
    return isRange
      ? [`TRUST_PROXY must not trust everybody, as "${proxy}" does: any client could claim any address`]
      : [`TRUST_PROXY must contain addresses, ranges, loopback or uniquelocal, not ${JSON.stringify(proxy)}`];
  });
}

/**
 * Checks that the store URLs are valid, and that no store is embedded in production.
 * @param used the variables of the opened stores
 */
export function checkStores(
  values: {
    readonly STORE_URL?: string | undefined;
    readonly CAPTCHA_CACHE_STORE?: string | undefined;
    readonly DATA_DIR?: string | undefined;
    readonly ALLOW_EMBEDDED?: boolean | undefined;
    readonly NODE_ENV?: string | undefined;
  },
  used: readonly ('STORE_URL' | 'CAPTCHA_CACHE_STORE')[],
): string[] {
  const urls = new Map(
    used.map((name) =>
      name === 'CAPTCHA_CACHE_STORE' && values.CAPTCHA_CACHE_STORE !== undefined
        ? [name, cacheStoreUrlOf(values)]
        : ['STORE_URL', storeUrlOf(values)],
    ),
  );
  return [...urls].flatMap(([name, url]) => {
    try {
      const { kind } = parseStoreUrl(url, '/');
      if (kind !== 'embedded' || values.NODE_ENV !== 'production' || values.ALLOW_EMBEDDED === true)
        return [];
      return [
        `${name} must name a Redis with NODE_ENV=production: the embedded store is for a single machine, and requires ALLOW_EMBEDDED=true`,
      ];
    } catch (error) {
      // The parser's message contains no part of the URL.
      return [`${name} ${error instanceof RangeError ? error.message : 'cannot be read'}`];
    }
  });
}

/** Rejects test mode, which reveals answers, in production and on every address that others can reach. */
export function checkTestMode(values: {
  readonly CAPTCHA_TEST_MODE?: boolean | undefined;
  readonly NODE_ENV?: string | undefined;
  readonly PUBLIC_URL?: string | undefined;
}): string[] {
  if (values.CAPTCHA_TEST_MODE !== true) return [];
  if (values.NODE_ENV === 'production') return ['CAPTCHA_TEST_MODE must be false with NODE_ENV=production'];
  const url = values.PUBLIC_URL === undefined ? null : parseHttpUrl(values.PUBLIC_URL);
  if (url === null || isTestHost(url.hostname)) return [];
  return [
    `CAPTCHA_TEST_MODE must be false unless PUBLIC_URL is loopback, *.localhost, *.test or a single-label host, not ${url.hostname}`,
  ];
}

/** Checks `PUBLIC_URL`, `CORS_ORIGIN`, `TRUST_PROXY` and, if present, `COOKIE_PREFIX`. */
export function checkHttp(values: {
  readonly PUBLIC_URL?: string | undefined;
  readonly NODE_ENV?: string | undefined;
  readonly CORS_ORIGIN?: string | undefined;
  readonly TRUST_PROXY?: readonly string[] | undefined;
  readonly COOKIE_PREFIX?: string | undefined;
}): string[] {
  return [
    ...checkPublicUrl(values),
    ...checkCookiePrefix(values),
    ...checkCorsOrigin(values.CORS_ORIGIN),
    ...checkTrustProxy(values.TRUST_PROXY),
  ];
}

function parseHttpUrl(text: string): URL | null {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : null;
}
