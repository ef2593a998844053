// The names of the refresh cookie: which one is set, which ones are read, and which of their tokens count.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas/token-claims.js';

/** What may stand before the name; undefined is the default, nothing. */
export type CookiePrefix = '__Secure-' | '__Host-' | undefined;

/** No other host can set a cookie of this prefix: browsers keep it only without `Domain`, `Secure`, under `/`. */
export const HOST_PREFIX = '__Host-';

/** The name of the cookie that is set. */
export function cookieName(prefix: CookiePrefix): string {
  return `${prefix ?? ''}refreshToken`;
}

/** Names that other hosts of the site can plant too, and that are read with this prefix. */
export function plantableNames(prefix: CookiePrefix): string[] {
  if (prefix !== HOST_PREFIX) return [cookieName(prefix)];
  return [cookieName(undefined), cookieName('__Secure-')];
}

/**
 * Which readings count. A token that was issued for `__Host-` counts under that name alone, so that nobody can plant
 * it under another; older ones count under the other names until they expire, and nobody is logged out by a change of
 * the prefix. As soon as one is valid under `__Host-`, nothing else counts.
 *
 * @param host readings of cookies named with `__Host-`
 * @param plantable readings of the others
 */
export function countingReadings(
  host: readonly TokenReading<RefreshClaims>[],
  plantable: readonly TokenReading<RefreshClaims>[],
): TokenReading<RefreshClaims>[] {
  if (host.some(({ ok }) => ok)) return [...host];
  return [...host, ...unbound(plantable)];
}

/** The same readings; a token that was issued for `__Host-` is invalid. */
export function unbound(readings: readonly TokenReading<RefreshClaims>[]): TokenReading<RefreshClaims>[] {
  return readings.map((reading) =>
    reading.ok && reading.claims.prefix === HOST_PREFIX ? { ok: false, reason: 'invalid' } : reading,
  );
}
