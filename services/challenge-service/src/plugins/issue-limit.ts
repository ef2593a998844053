// Rate limits that the store counts in the issuing step, and the headers that report what is left of them.

import type { Issued, RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import { RateLimited, refuse } from '@tollgate/shared/http/errors/errors.js';
import type { FastifyReply } from 'fastify';

const WINDOW_MS = 60_000;

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
  const resetSeconds = Math.ceil(issued.limit.ttlMs / 1000);
  reply.header('ratelimit-limit', limit.max);
  reply.header('ratelimit-remaining', Math.max(0, limit.max - issued.limit.count));
  reply.header('ratelimit-reset', resetSeconds);
  if (!issued.allowed) throw refuse(RateLimited, { headers: { 'retry-after': resetSeconds } });
}
