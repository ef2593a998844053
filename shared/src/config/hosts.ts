// What kind of place a host name is.

/** Says whether a host name, as `URL` writes it, never leaves this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Says whether a host name can only be that of a test: loopback, `*.localhost`, `*.test`, or a single label. */
export function isTestHost(host: string): boolean {
  return isLoopbackHost(host) || /^[^.:[\]]+$/.test(host) || /\.(?:localhost|test)$/.test(host);
}
