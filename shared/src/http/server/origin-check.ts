// Rejects requests from pages of other sites.

import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import { OriginRefused, refuse } from '../errors/errors.js';

/** The headers by which a browser reports the source of a request. */
interface RequestSource {
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns the source of a request. */
export function requestSource({ headers }: Pick<FastifyRequest, 'headers'>): RequestSource {
  const site = headers['sec-fetch-site'];
  return { origin: headers.origin, secFetchSite: Array.isArray(site) ? site.join() : site };
}

/**
 * Returns whether the site's own page sent the request although its `Origin` is `null`, as after `Referrer-Policy:
 * no-referrer`. A sandboxed frame and a page of another site are `cross-site`, and no page can set `Sec-Fetch-Site`.
 */
function hidesOwnOrigin({ origin, secFetchSite }: RequestSource): boolean {
  return origin === 'null' && secFetchSite === 'same-origin';
}

/**
 * Returns whether a request may pass. An `Origin` must equal an allowed one; without `Origin`, a `Sec-Fetch-Site` must be
 * `same-origin` (the site's own page) or `none` (the user), and with the `Origin` `null` it must be `same-origin`. A request
 * with neither passes: it comes from a program, not from a page. See docs/decisions/origins.md.
 */
export function originAllowed(source: RequestSource, allowedOrigins: readonly string[]): boolean {
  if (source.origin !== undefined) return hidesOwnOrigin(source) || allowedOrigins.includes(source.origin);
  const site = source.secFetchSite;
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Returns the origin of the page that sent a request. @param own the origin of the service, as browsers see it */
export function pageOrigin(request: Pick<FastifyRequest, 'headers'>, own: string): string | undefined {
  const source = requestSource(request);
  return hidesOwnOrigin(source) ? own : source.origin;
}

/**
 * Returns an `onRequest` hook for a route or a whole server: it checks each request to a route that may change state.
 * @param allowed origins as browsers send them: scheme, host, port
 */
export function refuseForeignOrigins(allowed: readonly string[]): onRequestHookHandler {
  return (request, _reply, done) => {
    const isExempt = SAFE_METHODS.includes(request.method) || request.is404;
    if (isExempt || originAllowed(requestSource(request), allowed)) done();
    else done(refuse(OriginRefused));
  };
}

/** @param options.allowed origins as browsers send them: scheme, host, port */
async function checkOrigins(
  app: FastifyInstance,
  { allowed }: { allowed: readonly string[] },
): Promise<void> {
  app.addHook('onRequest', refuseForeignOrigins(allowed));
}

/** Adds the check to the server, so that every route has it. */
export const originCheck = fp(checkOrigins, { name: 'tollgate-origin', fastify: '5.x' });
