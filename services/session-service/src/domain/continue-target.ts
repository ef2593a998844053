// The address to which `/refresh/continue` leads after a refresh.

const MOST_CHARACTERS = 4096;

/** A path, or an http(s) address, without backslashes and control characters: browsers read or skip those differently. */
const PLAIN = /^(?:\/(?!\/)|https?:\/\/)[^\\\p{Cc}]*$/u;

/** Addresses of the services. */
export interface ContinueOptions {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  /** The origins of pages, as browsers write them. */
  readonly origins: readonly string[];
  /** The path of the page itself, which is no target. */
  readonly ownPath: string;
  /** `PAGE_LOGIN_URL`. */
  readonly loginUrl: string;
}

/**
 * Returns the absolute address of `to`, or of the first page of the host unless `to` certainly belongs to one of the origins.
 */
export function continueTarget(to: unknown, { publicUrl, origins, ownPath }: ContinueOptions): URL {
  const home = new URL('/', publicUrl);
  if (typeof to !== 'string' || to.length > MOST_CHARACTERS || !PLAIN.test(to)) return home;
  if (!URL.canParse(to, publicUrl)) return home;
  const url = new URL(to, publicUrl);
  const isOwn = origins.includes(url.origin) && url.username === '' && url.password === '';
  // A path such as `/.//host` would lead elsewhere if somebody used it without its origin.
  return isOwn && !url.pathname.startsWith('//') && url.pathname !== ownPath ? url : home;
}

/**
 * Returns the address of the login page, which leads to the target afterwards; null if the target is the login page, which
 * then requires a login itself.
 */
export function loginAddress(target: URL, { publicUrl, loginUrl }: ContinueOptions): string | null {
  const login = new URL(loginUrl, publicUrl);
  if (login.origin === target.origin && login.pathname === target.pathname) return null;
  const isHere = login.origin === target.origin;
  login.searchParams.set('to', isHere ? `${target.pathname}${target.search}${target.hash}` : target.href);
  return login.href;
}
