// The scope of the refresh cookie, and the scopes in which a twin of it could have been planted.

/** The attributes that distinguish cookies of the same name. */
export interface CookieScope {
  readonly path: string;
  readonly domain?: string;
  /** Whether it is partitioned by the site in the address bar (CHIPS). */
  readonly partitioned?: boolean;
}

/** Twins that one response expires at most: gateways buffer the headers of a response in 8 kB, some in 4. */
export const MAX_EXPIRED = 40;

/** The path of a cookie: the path of the public URL followed by that of a route, such as `/refresh`. */
export function pathBelow(publicUrl: string, route: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '') + route;
}

/**
 * Every scope in which the browser could hold a twin of our cookie: without a domain, for the host name and for each
 * parent domain of two or more labels; under each prefix of the cookie's path, with and without a trailing slash;
 * partitioned and not. Our own scope is left out, also partitioned: browsers without support for `Partitioned` cannot
 * distinguish the two.
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
