// The cookie of a pass.

import { cookieValues } from '@tollgate/shared/crypto';

/** Cookies of the name that are read: another host of the domain may plant some. */
const MOST_COOKIES = 50;

/**
 * Returns the name of the cookie on a site. With https browsers accept it only from the site's own host (`__Host-`).
 * @param site its origin
 */
export function passCookieName(site: string): string {
  return site.startsWith('https:') ? '__Host-tollgate-pass' : 'tollgate-pass';
}

/** Returns the value of `Set-Cookie`. @param pass needs no escaping @param seconds lifetime of the cookie */
export function passCookie(site: string, pass: string, seconds: number): string {
  const secure = site.startsWith('https:') ? '; Secure' : '';
  return `${passCookieName(site)}=${pass}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the passes in a request. @param header its `Cookie` */
export function presentedPasses(header: string | undefined, site: string): string[] {
  return cookieValues(header, passCookieName(site)).slice(0, MOST_COOKIES);
}
