// Refuses requests made by a page of another site.

import type { FastifyRequest } from 'fastify';
import { OriginRefused, refuse } from '../errors/errors.js';

/** The headers by which a browser says where a request comes from. */
export interface RequestSource {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

/**
 * Tells whether a request may pass. An `Origin` must equal an allowed one; without `Origin`, a `Sec-Fetch-Site` must be
 * `same-origin` (the site's own page) or `none` (the user). A request with neither passes: it comes
 * from a program, not from a page. See docs/decisions/origins.md.
 */
export function originAllowed(source: RequestSource, allowedOrigins: readonly string[]): boolean {
  if (source.origin !== undefined) return allowedOrigins.includes(source.origin);
  const site = source.secFetchSite;
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Returns an `onRequest` hook for a route. @param allowed origins as browsers send them: scheme, host, port */
export function refuseForeignOrigins(allowed: readonly string[]): (request: FastifyRequest) => Promise<void> {
  return async ({ headers }) => {
    const site = headers['sec-fetch-site'];
    const source = { origin: headers.origin, secFetchSite: Array.isArray(site) ? site.join() : site };
    if (!originAllowed(source, allowed)) throw refuse(OriginRefused);
  };
}
