// Compares the sites of addresses as browsers do, and knows the hosts that only this machine or a test uses.

import { getDomain } from 'tldts';

/**
 * Returns whether two addresses have the same site: the same scheme, and the same host or the same registrable domain by
 * the public suffix list. Ports do not matter. Each name below a private suffix such as `github.io` is its own site.
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

/** Returns whether a host name, as `URL` writes it, is this machine: `localhost`, `*.localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  return host === '[::1]' || /^(?:[^:]*\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Returns whether an address is plain http on this machine. Some browsers keep no `Secure` cookie there. */
export function isLoopbackHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

/** Returns whether a host name can only be that of a test: loopback, `*.test`, or a single label. */
export function isTestHost(host: string): boolean {
  return isLoopbackHost(host) || /^[^.:[\]]+$/.test(host) || /\.test$/.test(host);
}

/** The address at which this machine reaches something bound to `bind`, as it stands in a URL. */
export function reachableHost(bind: string | undefined): string {
  if (bind === undefined || bind === '' || bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}
