// Where the refresh cookie lives, and where twins of it could have been planted.

/** The attributes that tell one cookie from another of the same name. */
export interface CookieScope {
  readonly path: string;
  readonly domain?: string;
  /** Whether it lies in the partition of the site in the address bar (CHIPS). */
  readonly partitioned?: boolean;
}

/** The most twins that one answer expires: gateways hold the headers of an answer in 8 kB, some in 4. */
export const MOST_EXPIRED = 40;

/** The cookie's path: that of the public address, then `/refresh` (decisions 3.3). */
export function refreshPath(publicUrl: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/+$/, '')}/refresh`;
}

/**
 * Every scope in which the browser could hold a twin of our cookie: without a domain, for the host, and for each
 * parent of two labels or more; under each prefix of the cookie's path, with and without the closing slash; in the
 * partition of the site and outside of it. Our own is left out.
 */
export function twinScopes(host: string, path: string): CookieScope[] {
  const scopes = [{}, ...parentsOf(host).map((domain) => ({ domain }))].flatMap((place) =>
    prefixesOf(path).map((prefix): CookieScope => ({ ...place, path: prefix })),
  );
  return [
    ...scopes.filter((scope) => scope.domain !== undefined || scope.path !== path),
    ...scopes.map((scope) => ({ ...scope, partitioned: true })),
  ];
}

/**
 * Whether a browser that does not know `Partitioned` takes this twin for our own cookie. It may be expired only in
 * an answer that sets our cookie again behind it.
 */
export function hidesOwn({ domain, path, partitioned }: CookieScope, ownPath: string): boolean {
  return partitioned === true && domain === undefined && path === ownPath;
}

/** At most `MOST_EXPIRED` of what is to be expired, beginning with number `start` and going round. */
export function bounded<Twin>(twins: readonly Twin[], start: number): Twin[] {
  if (twins.length <= MOST_EXPIRED) return [...twins];
  return [...twins.slice(start), ...twins.slice(0, start)].slice(0, MOST_EXPIRED);
}

function prefixesOf(path: string): string[] {
  const segments = path.split('/').slice(1);
  const prefixes = segments.map((_, at) => `/${segments.slice(0, at + 1).join('/')}`);
  return [...new Set(['/', ...prefixes.flatMap((prefix) => [prefix, `${prefix}/`])])];
}

function parentsOf(host: string): string[] {
  // An address has no parent domains, and a browser takes no Domain attribute for it.
  if (/^[\d.]+$|:/.test(host)) return [];
  const labels = host.split('.');
  const parents = labels.map((_, at) => labels.slice(at).join('.'));
  return parents.filter((domain, at) => at === 0 || domain.includes('.'));
}
