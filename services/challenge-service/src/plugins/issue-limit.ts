// Rate limits counted by the store in the issuing step, and the headers that report the remaining requests.

import type { Issued, RequestLimit } from '@tollgate/shared/challenges';
import { RateLimited, refuse } from '@tollgate/shared/http';
import type { Counted } from '@tollgate/shared/store';
import type { FastifyReply } from 'fastify';

/** The window of all limits. */
export const WINDOW_MS = 60_000;

/**
 * Returns the limit of an address and of its wider networks. A /64 counts as one address, but an IPv6 customer may hold
 * 256 (/56) or 65,536 (/48) of them.
 * @param perMinute challenges per minute and address
 * @param factors multiples of that limit for a /56 and for a /48
 */
export function issueLimit(perMinute: number, factors: readonly [number, number]): RequestLimit {
  const [times56, times48] = factors;
  return {
    max: perMinute,
    windowMs: WINDOW_MS,
    networkMax: [perMinute * times56, perMinute * times48],
  };
}

/**
 * Sets the `RateLimit-*` headers.
 * @throws RateLimited, with `Retry-After`, if nothing was issued
 */
export function reportLimit(
  reply: FastifyReply,
  limit: RequestLimit,
  issued: Issued,
): asserts issued is Issued & { allowed: true } {
  reportCount(reply, limit.max, issued.limit, issued.allowed);
}

/**
 * Sets the `RateLimit-*` headers of a counted request.
 * @param max requests in a window
 * @throws RateLimited, with `Retry-After`, if it is not allowed
 */
export function reportCount(
  reply: FastifyReply,
  max: number,
  { count, ttlMs }: Counted,
  isAllowed = count <= max,
): void {
  const resetSeconds = Math.ceil(ttlMs / 1000);
  reply.header('ratelimit-limit', max);
  reply.header('ratelimit-remaining', Math.max(0, max - count));
  reply.header('ratelimit-reset', resetSeconds);
  if (!isAllowed) throw refuse(RateLimited, { headers: { 'retry-after': resetSeconds } });
}
