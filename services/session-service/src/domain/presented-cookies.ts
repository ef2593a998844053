// The cookies of a request: their names, their validity, and the session that they present.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas';

/** The configured prefix of the cookie's name; undefined is the default, no prefix. */
export type CookiePrefix = '__Secure-' | '__Host-' | undefined;

/** Browsers accept a cookie with this prefix only without `Domain`, with `Secure` and `Path=/`: no other host can set it. */
export const HOST_PREFIX = '__Host-';

/** The session that the cookies of a request present. */
export type PresentedSession =
  | { readonly ok: true; readonly claims: RefreshClaims }
  | { readonly ok: false; readonly reason: 'missing' | 'invalid' | 'expired' }
  /** Several sessions: `survivingSession` decides by their liveness. */
  | { readonly ok: false; readonly reason: 'conflict'; readonly sessions: readonly RefreshClaims[] }
  /** More than `MAX_COOKIES` of a name, none of which was opened: only planting creates so many. */
  | { readonly ok: false; readonly reason: 'flood' };

/** Cookies of one name that a refresh opens at most. */
export const MAX_COOKIES = 8;

/** The name of the service's cookie. */
export function cookieName(prefix: CookiePrefix): string {
  return `${prefix ?? ''}refreshToken`;
}

/** The names that the service reads with this prefix although other hosts of the site can set them too. */
export function plantableNames(prefix: CookiePrefix): string[] {
  if (prefix !== HOST_PREFIX) return [cookieName(prefix)];
  return [cookieName(undefined), cookieName('__Secure-')];
}

/**
 * Selects the readings that count. A token issued for `__Host-` counts only under that name, so it cannot be planted under
 * another one. Older tokens count under the other names until they expire, so a change of the prefix logs nobody out. If a
 * token is valid under `__Host-`, only the readings of that name count.
 *
 * @param host readings of cookies with the prefix `__Host-`
 * @param plantable readings of the other cookies
 */
export function countingReadings(
  host: readonly TokenReading<RefreshClaims>[],
  plantable: readonly TokenReading<RefreshClaims>[],
): TokenReading<RefreshClaims>[] {
  if (host.some(({ ok }) => ok)) return [...host];
  return [...host, ...refuseHostTokens(plantable)];
}

/** The same readings, in which a token issued for `__Host-` is invalid. */
export function refuseHostTokens(
  readings: readonly TokenReading<RefreshClaims>[],
): TokenReading<RefreshClaims>[] {
  return readings.map((reading) =>
    reading.ok && reading.claims.prefix === HOST_PREFIX ? { ok: false, reason: 'invalid' } : reading,
  );
}

/**
 * Chooses among the readings of all refresh cookies: a valid token has priority over invalid ones, of one session the
 * highest generation counts, and different sessions are a conflict.
 */
export function presentedSession(readings: readonly TokenReading<RefreshClaims>[]): PresentedSession {
  const sessions = validSessions(readings);
  const [claims] = sessions;
  if (claims === undefined) {
    if (readings.length === 0) return { ok: false, reason: 'missing' };
    const expired = readings.some((reading) => !reading.ok && reading.reason === 'expired');
    return { ok: false, reason: expired ? 'expired' : 'invalid' };
  }
  return sessions.length === 1 ? { ok: true, claims } : { ok: false, reason: 'conflict', sessions };
}

/** The claims of each session among the readings, at its highest generation. */
export function validSessions(readings: readonly TokenReading<RefreshClaims>[]): RefreshClaims[] {
  const bySession = new Map<string, RefreshClaims>();
  for (const reading of readings) {
    if (!reading.ok) continue;
    const { claims } = reading;
    const key = `${claims.sub} ${claims.sid}`;
    const best = bySession.get(key);
    if (best === undefined || claims.gen > best.gen) bySession.set(key, claims);
  }
  return [...bySession.values()];
}

/**
 * Resolves a conflict: returns the only live session, `none`, or `several`. A planted cookie therefore locks its victim out
 * only while its own session is alive.
 */
export function survivingSession(
  sessions: readonly RefreshClaims[],
  isAlive: (sid: string) => boolean,
): RefreshClaims | 'none' | 'several' {
  const [claims, ...others] = sessions.filter(({ sid }) => isAlive(sid));
  if (claims === undefined) return 'none';
  return others.length === 0 ? claims : 'several';
}

/** The attributes that distinguish cookies of the same name. */
interface CookieScope {
  readonly path: string;
  readonly domain?: string;
  /** Whether it is partitioned by the site in the address bar (CHIPS). */
  readonly partitioned?: boolean;
}

/** Most twins that one response expires: gateways buffer the headers of a response in 8 kB, some in 4. */
export const MAX_EXPIRED = 40;

/** The path of a cookie: the path of the public URL followed by that of a route, such as `/refresh`. */
export function pathBelow(publicUrl: string, route: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '') + route;
}

/**
 * Every scope in which the browser could have a twin of our cookie: without a domain, for the host name and for each parent
 * domain of two or more labels; under each prefix of the cookie's path, with and without a trailing slash; partitioned and
 * not. Our own scope is excluded, also partitioned: browsers without support for `Partitioned` cannot distinguish the two.
 */
export function twinScopes(hostname: string, path: string): CookieScope[] {
  const scopes = [{}, ...parentsOf(hostname).map((domain) => ({ domain }))]
    .flatMap((place) => prefixesOf(path).map((prefix): CookieScope => ({ ...place, path: prefix })))
    .filter((scope) => scope.domain !== undefined || scope.path !== path);
  return [...scopes, ...scopes.map((scope) => ({ ...scope, partitioned: true }))];
}

/** At most `MAX_EXPIRED` twins, starting at index `start` and wrapping around. */
export function boundedFrom<Twin>(twins: readonly Twin[], start: number): Twin[] {
  if (twins.length <= MAX_EXPIRED) return [...twins];
  return [...twins.slice(start), ...twins.slice(0, start)].slice(0, MAX_EXPIRED);
}

function prefixesOf(path: string): string[] {
  const segments = path.split('/').slice(1);
  const prefixes = segments.map((_, at) => `/${segments.slice(0, at + 1).join('/')}`);
  return [...new Set(['/', ...prefixes.flatMap((prefix) => [prefix, `${prefix}/`])])];
}

function parentsOf(hostname: string): string[] {
  // An IP address has no parent domains, and browsers reject a Domain attribute for it.
  if (/^[\d.]+$|:/.test(hostname)) return [];
  const labels = hostname.split('.');
  const parents = labels.map((_, at) => labels.slice(at).join('.'));
  return parents.filter((domain, at) => at === 0 || domain.includes('.'));
}
