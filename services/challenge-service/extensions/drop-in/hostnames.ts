// The host names of a site: which pages may redeem work for it.

const ANY = '*';
const BELOW = '*.';
const MAX_ORIGIN_CHARACTERS = 300;

/** Returns whether a text is a host name without scheme, port and path, `*.` and a host name, or `*`. */
export function isHostnamePattern(text: string): boolean {
  return asciiPattern(text) !== null;
}

/** Returns a pattern as headers contain it: lower case, international letters encoded. Returns null if it is none. */
export function asciiPattern(text: string): string | null {
  if (text === ANY) return ANY;
  const below = text.startsWith(BELOW) ? BELOW : '';
  const name = asciiHostname(text.slice(below.length));
  return name === null ? null : `${below}${name}`;
}

/**
 * Returns a function that tells whether a site has a host name: an exact one, one below `*.name` (not `name` itself), or any
 * if the list contains `*`.
 * @param patterns texts for which `isHostnamePattern` holds; international names in either form
 */
export function hostnameMatcher(patterns: readonly string[]): (hostname: string) => boolean {
  if (patterns.includes(ANY)) return () => true;
  const exact = new Set<string>();
  const endings: string[] = [];
  for (const pattern of patterns) {
    const isBelow = pattern.startsWith(BELOW);
    const name = asciiHostname(isBelow ? pattern.slice(BELOW.length) : pattern);
    if (name === null) continue;
    if (isBelow) endings.push(`.${name}`);
    else exact.add(name);
  }
  const isBelowOne = (hostname: string) =>
    endings.some((ending) => hostname.length > ending.length && hostname.endsWith(ending));
  return (hostname) => exact.has(hostname) || isBelowOne(hostname);
}

/**
 * Returns the host name of an origin as browsers send it: scheme, host and port only. Returns null for anything else, such
 * as the origin `null` of a sandboxed frame or a file.
 */
export function hostnameOf(origin: unknown): string | null {
  if (typeof origin !== 'string' || origin.length > MAX_ORIGIN_CHARACTERS) return null;
  const url = parse(origin);
  if (url === null || url.hostname === '' || `${url.protocol}//${url.host}` !== origin) return null;
  return url.hostname;
}

/**
 * Returns the host name of the page that sent a request; null if it is unknown.
 * @param origin the header `Origin`
 * @param framed the origin around our frame, as the frame reports it; only used in its own requests
 * @param ownOrigin the origin of our frames
 */
export function pageHostname(
  origin: string | undefined,
  framed: string | undefined,
  ownOrigin: string,
): string | null {
  return hostnameOf(origin === ownOrigin ? framed : origin);
}

/** URLs accept more, such as a semicolon, which begins the next directive in `Content-Security-Policy`. */
const HOST_NAME = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** Returns a host name as URLs contain it: lower case, international letters encoded. */
function asciiHostname(name: string): string | null {
  if (name === '' || /[\s/?#@%*\\]/.test(name) || /:\d*$/.test(name)) return null;
  const hostname = parse(`https://${name}`)?.hostname ?? '';
  return HOST_NAME.test(hostname) ? hostname : null;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
