// The limits that are counted inside the issuing step, and how much of one is left, in the headers of an answer.

import type { Issued, RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import { RateLimited, refuse } from '@tollgate/shared/http/errors/errors.js';
import type { FastifyReply } from 'fastify';

const WINDOW_MS = 60_000;

/**
 * The limit of an address and of its wider networks: an IPv6 customer may have 256 or 65,536 times the /64 that counts as
 * one address.
 * @param perMinute challenges per minute and address
 * @param factors times that limit for a /56 and for a /48
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
 * @throws RateLimited, with `Retry-After`, when nothing was issued
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
