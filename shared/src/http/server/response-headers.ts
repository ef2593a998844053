// The headers that every answer has, and how one is added to Vary.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

const YEAR_SECONDS = 31_536_000;

/** Headers that every answer has in addition while the challenges are in test mode. */
export const TEST_MODE_HEADERS = { 'x-captcha-test-mode': '1' } as const;

export interface ResponseHeadersOptions {
  /** With https the answers have `Strict-Transport-Security`. */
  readonly publicUrl: string;
  /** Further headers of every answer, such as that of the test mode. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Returns the headers: no caching, and the strictest security headers. */
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

/** Adds the name of a request header to `Vary`, unless `Vary` already has it or `*`. */
export function appendVary(reply: FastifyReply, field: string): void {
  const present = String(reply.getHeader('vary') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (present.some((name) => name === '*' || name.toLowerCase() === field.toLowerCase())) return;
  reply.header('vary', [...present, field].join(', '));
}

/**
 * Whether `If-None-Match` of a request names this tag, strongly or weakly, or is `*` (RFC 9110, 13.1.2): answer 304.
 * @param etag with its quotes
 */
export function hasCurrent({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? [];
  return known.some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
}

/** Register it before everything that may answer a request by itself. */
export default fp(setResponseHeaders, { name: 'tollgate-response-headers', fastify: '5.x' });
