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

/** Says whether a host name, as `URL` writes it, never leaves this machine: `localhost`, `*.localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  return host === '[::1]' || /^(?:[^:]*\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Says whether an address is plain http that never leaves this machine. There some browsers keep no `Secure` cookie. */
export function isLoopbackHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

/** Says whether a host name can only be that of a test: loopback, `*.test`, or a single label. */
export function isTestHost(host: string): boolean {
  return isLoopbackHost(host) || /^[^.:[\]]+$/.test(host) || /\.test$/.test(host);
}
