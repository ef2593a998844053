// Finds the guarded site of a request.

/**
 * Returns a function that finds the origin of the site with a `Host` header; null if there is none.
 * @param sites their origins
 */
export function createGuardedSites(sites: readonly string[]): (host: string) => string | null {
  const byHost = new Map<string, string>();
  for (const site of sites) {
    const { protocol, host, hostname, port } = new URL(site);
    byHost.set(host, site);
    if (port === '') byHost.set(`${hostname}:${protocol === 'https:' ? 443 : 80}`, site);
  }
  return (host) => byHost.get(host.toLowerCase()) ?? null;
}
