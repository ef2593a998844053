// Limits that do not lock out offices: a valid credential counts by session and address, a rejected one by address.

import type { RequestLimiter } from '@tollgate/shared/http';
import { bearerOf, type RequireBearer } from '@tollgate/shared/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Multiple of its limit that an address may call in total. That is room for many people behind one address, and the work
 * before a credential is verified stays bounded.
 */
export const ADDRESS_FACTOR = 50;

/** Three counts of one limit. Each throws RateLimited beyond it. */
export interface SessionLimit {
  /**
   * Counts every request of an address, before anything is verified; the limit is `ADDRESS_FACTOR` times as high. A hook.
   */
  readonly countAddress: RequestLimiter['count'];
  /** Counts a request of a session by its address: a copied credential uses up no allowance of its owner. */
  countSession(request: FastifyRequest, reply: FastifyReply, sid: string): Promise<void>;
  /** Counts a rejected credential for its address. Valid ones are not affected. */
  readonly countRejected: RequestLimiter['count'];
}

/** @param max requests per minute */
export function createSessionLimit(app: FastifyInstance, name: string, max: number): SessionLimit {
  const bySession = app.limits.open({ name, max });
  return {
    countAddress: app.limits.open({ name: `${name}_address`, max: ADDRESS_FACTOR * max }).count,
    countSession: (request, reply, sid) => bySession.countPart(sid, request, reply),
    countRejected: app.limits.open({ name: `${name}_rejected`, max }).count,
  };
}

/**
 * Returns an `onRequest` hook: `requireBearer` and rate limits. A valid bearer counts by session and address, a rejected one
 * by address only, which never affects requests with a valid one. It throws TokenInvalid, SessionRevoked, and RateLimited
 * beyond the limit.
 * @param limitPerMinute requests per minute, session and address, on all routes together; the same for rejected ones
 */
export function limitedBearer(app: FastifyInstance, limitPerMinute: number): RequireBearer {
  const { countAddress, countSession, countRejected } = createSessionLimit(app, 'session', limitPerMinute);
  return async (request, reply) => {
    await countAddress(request, reply);
    try {
      await app.requireBearer(request, reply);
    } catch (refusal) {
      await countRejected(request, reply);
      throw refusal;
    }
    await countSession(request, reply, bearerOf(request).sid);
    return undefined;
  };
}
