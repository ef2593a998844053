// Whether a client has the present content already.

import type { FastifyRequest } from 'fastify';

/**
 * Whether `If-None-Match` of a request names this tag, strongly or weakly, or is `*` (RFC 9110, 13.1.2): answer 304.
 * @param etag with its quotes
 */
export function hasCurrent({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const known = headers['if-none-match']?.split(',') ?? [];
  return known.some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim()));
}
