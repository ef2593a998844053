// Says in an answer how much of a limit is left, where the limit was counted inside the issuing step.

import type { Issued, RequestLimit } from '@tollgate/shared/challenges/challenge-store.js';
import { RateLimited, refuse } from '@tollgate/shared/http/errors.js';
import type { FastifyReply } from 'fastify';

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
