// Which addresses are of one site, as browsers see it.

import { getDomain } from 'tldts';

/**
 * Says whether two addresses are of one site: one scheme, and one host or one registrable domain by the public suffix
 * list. A site has no port. On a private suffix such as `github.io` each name below it is a site of its own.
 */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol) return false;
  if (a.hostname === b.hostname) return true;
  const domain = registrableDomain(a.hostname);
  return domain !== null && domain === registrableDomain(b.hostname);
}

// Null for an IP address, a single label and a public suffix itself.
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true });
}
