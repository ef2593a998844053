// Ends sessions by id in two steps: first the entry in the revocation log, which every node reads, then the record.

import { answerLimitOf } from '@tollgate/shared/http/server/answer-limit.js';
import type { UserId } from '@tollgate/shared/schemas/user-id.js';
import { waitForAnswer } from '@tollgate/shared/store/store.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { RequestedEnd } from '../domain/session-end.js';
import type { SessionRef } from '../stores/session-store.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Ends one session on request, and returns whether it was alive.
     * @throws StoreUnavailableError if either step fails; calling it again completes the end
     */
    endSession(request: FastifyRequest, reason: RequestedEnd, session: SessionRef): Promise<boolean>;
    /**
     * Returns whether a session is revoked. If its record still exists because an end was interrupted between the two
     * steps, completes that end: the entry expires, and the session would be alive again.
     * @throws StoreUnavailableError if it cannot be completed
     */
    endRevoked(request: FastifyRequest, session: SessionRef): Promise<boolean>;
    /**
     * Ends all present sessions of a user except `exceptSid`, and voids the device cookies of all devices but that of
     * `exceptSid`. A session that starts meanwhile stays alive.
     * @returns the ids of the sessions that were alive
     * @throws StoreUnavailableError as `endSession` does
     */
    endSessions(
      request: FastifyRequest,
      reason: RequestedEnd,
      uid: UserId,
      exceptSid?: string,
    ): Promise<string[]>;
  }
}

async function endSessions(app: FastifyInstance): Promise<void> {
  const { revoker, revocations } = app;
  const revoke = (request: FastifyRequest, sids: readonly string[]) =>
    waitForAnswer(answerLimitOf(request), revoker.revoke(sids));
  app.decorate('endSession', async (request, reason, session) => {
    await revoke(request, [session.sid]);
    return request.sessions.end(session, { reason, address: app.clientPseudonym(request) });
  });
  app.decorate('endRevoked', async (request, session) => {
    const isRevoked = revocations.isRevoked(session.sid, answerLimitOf(request));
    if (isRevoked === false || !(await isRevoked)) return false;
    const reason = 'interrupted';
    if (await request.sessions.end(session, { reason })) app.audit(request, 'revoke', { ...session, reason });
    return true;
  });
  app.decorate('endSessions', async (request, reason, uid, exceptSid) => {
    await request.deviceVoids.void(uid, exceptSid);
    const listed = (await request.sessions.list(uid))
      .map(({ sid }) => sid)
      .filter((sid) => sid !== exceptSid);
    if (listed.length === 0) return [];
    await revoke(request, listed);
    return request.sessions.endListed(uid, listed, { reason, address: app.clientPseudonym(request) });
  });
}

/** Decorates the server with `endSession`, `endRevoked` and `endSessions`. */
export default fp(endSessions, {
  name: 'tollgate-end-sessions',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-audit'],
});
