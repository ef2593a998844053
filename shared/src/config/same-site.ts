// Compares the sites of addresses as browsers do.

import { getDomain } from 'tldts';

/**
 * Returns whether two addresses have the same site: the same scheme, and the same host or registrable domain by the public
 * suffix list. Ports do not matter. Each name below a private suffix such as `github.io` is its own site.
 */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.protocol !== b.protocol) return false;
  if (a.hostname === b.hostname) return true;
  const domain = registrableDomain(a.hostname);
  return domain !== null && domain === registrableDomain(b.hostname);
}

// Returns null for an IP address, a single label and a public suffix.
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true });
}
