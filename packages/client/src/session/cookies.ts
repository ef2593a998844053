// In-memory cookie jar for programs without a browser. Loaded only there.

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
}

/** Returns a `fetch` that stores and sends the cookies of the service at this address, each on its own path only. */
export function keepCookies(base: URL): typeof fetch {
  const cookies = new Map<string, Cookie>();

  const cookiesFor = ({ protocol, hostname, pathname }: URL) =>
    [...cookies]
      .filter(([, { path, isSecure }]) => {
        const isOnPath = `${pathname}/`.startsWith(path.replace(/\/*$/, '/'));
        return isOnPath && (!isSecure || protocol === 'https:' || isLoopback(hostname));
      })
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');

  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const isOfService = url.origin === base.origin;
    const sent = isOfService && cookiesFor(url);
    if (sent) request.headers.set('cookie', sent);
    const response = await fetch(request);
    if (isOfService) {
      for (const line of response.headers.getSetCookie?.() ?? []) {
        const [, name = '', value = ''] = /^\s*([^=;]+)=([^;]*)/.exec(line) ?? [];
        const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
        // The service clears a cookie with an empty value.
        if (value === '') cookies.delete(name);
        else cookies.set(name, { value, path, isSecure: /;\s*secure/i.test(line) });
      }
    }
    return response;
  };
}

/** Such addresses count as secure, as in a browser. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
