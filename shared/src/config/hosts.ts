// What kind of place a host name is.

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
