// The headers that every answer has.

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

const YEAR_SECONDS = 31_536_000;

/** What every answer says while the challenges are in test mode (decisions 2.4). */
export const TEST_MODE_HEADERS = { 'x-captcha-test-mode': '1' } as const;

/** What decides the headers. */
export interface ResponseHeadersOptions {
  /** With https the browser is told to come back with https only. */
  readonly publicUrl: string;
  /** Further headers of every answer, such as that of the test mode. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** The headers themselves (decisions 1: caching, security headers). */
export function responseHeaders({
  publicUrl,
  extra,
}: ResponseHeadersOptions): Readonly<Record<string, string>> {
  return Object.freeze({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(publicUrl.toLowerCase().startsWith('https:')
      ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
      : {}),
    ...extra,
  });
}

async function setResponseHeaders(app: FastifyInstance, options: ResponseHeadersOptions): Promise<void> {
  const headers = responseHeaders(options);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Register it before everything that may answer a request by itself. */
export default fp(setResponseHeaders, { name: 'tollgate-response-headers', fastify: '5.x' });
