// Refuses requests that a page of another site made.

import type { FastifyRequest } from 'fastify';
import { OriginRefused, refuse } from '../errors/errors.js';

/** What a browser says about where a request comes from. */
export interface RequestSource {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

/**
 * Decisions 3.5: an `Origin` must be one of those allowed, to the letter; without one, `Sec-Fetch-Site`, where
 * there is any, must say that the request is the site's own (`same-origin`) or the user's (`none`).
 */
export function originAllowed(source: RequestSource, allowedOrigins: readonly string[]): boolean {
  if (source.origin !== undefined) return allowedOrigins.includes(source.origin);
  const site = source.secFetchSite;
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** An `onRequest` hook for a route. @param allowed origins as browsers send them: scheme, host, port */
export function refuseForeignOrigins(allowed: readonly string[]): (request: FastifyRequest) => Promise<void> {
  return async ({ headers }) => {
    const site = headers['sec-fetch-site'];
    const source = { origin: headers.origin, secFetchSite: Array.isArray(site) ? site.join() : site };
    if (!originAllowed(source, allowed)) throw refuse(OriginRefused);
  };
}
