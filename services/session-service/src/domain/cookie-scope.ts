// Where the refresh cookie lives, and where twins of it could have been planted.

/** The attributes that tell one cookie from another of the same name. */
export interface CookieScope {
  readonly path: string;
  readonly domain?: string;
}

/** The cookie's path: that of the public address, then `/refresh` (decisions 3.3). */
export function refreshPath(publicUrl: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/+$/, '')}/refresh`;
}

/**
 * Every scope in which the browser could hold a twin of our cookie: without a domain, for the host, and for each
 * parent of two labels or more; under `/` and under the cookie's path. Our own is left out.
 */
export function twinScopes(host: string, path: string): CookieScope[] {
  const domains = [undefined, ...parentsOf(host)];
  return domains.flatMap((domain) => {
    const scope = domain === undefined ? {} : { domain };
    const atRoot = { ...scope, path: '/' };
    return domain === undefined ? [atRoot] : [atRoot, { ...scope, path }];
  });
}

function parentsOf(host: string): string[] {
  // An address has no parent domains, and a browser takes no Domain attribute for it.
  if (/^[\d.]+$|:/.test(host)) return [];
  const labels = host.split('.');
  const parents = labels.map((_, at) => labels.slice(at).join('.'));
  return parents.filter((domain, at) => at === 0 || domain.includes('.'));
}
