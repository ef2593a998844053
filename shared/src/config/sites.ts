// Recognises hosts that only this machine or a test uses.

/** Returns whether a host name, as `URL` writes it, is this machine: `localhost`, `*.localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopbackHost(host: string): boolean {
  return host === '[::1]' || /^(?:[^:]*\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Returns whether an address is plain http on this machine. Some browsers reject `Secure` cookies there. */
export function isLoopbackHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

/** Returns whether a host name can only belong to a test: loopback, `*.test`, or a single label. */
export function isTestHost(host: string): boolean {
  return isLoopbackHost(host) || /^[^.:[\]]+$/.test(host) || /\.test$/.test(host);
}

/** The address for connecting from this machine to a listener on `bind`, in URL form. */
export function reachableHost(bind: string | undefined): string {
  if (bind === undefined || bind === '' || bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}
