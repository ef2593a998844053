// Ends sessions whose ids are known: first the entry that every node reads, then the session step (decisions 3.4).

import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { RequestedEnd } from '../domain/session-end.js';
import type { SessionRef } from '../stores/session-store.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Ends one session, because a request asks for it, and says whether there was one.
     * @throws StoreUnavailableError when either step fails; asked again it does what is left
     */
    endSession(request: FastifyRequest, reason: RequestedEnd, session: SessionRef): Promise<boolean>;
    /**
     * Whether a session is revoked. If its record is still there all the same, because an end was cut off after the
     * entry, that end is finished: the entry will be forgotten, and the session would live on.
     * @throws StoreUnavailableError when it cannot be finished
     */
    endRevoked(request: FastifyRequest, session: SessionRef): Promise<boolean>;
    /**
     * Ends every session that a user has now, but `spared`; one that starts meanwhile lives.
     * @returns the ids of those that were alive
     * @throws StoreUnavailableError as `endSession` does
     */
    endSessions(
      request: FastifyRequest,
      reason: RequestedEnd,
      uid: number,
      spared?: string,
    ): Promise<string[]>;
  }
}

async function endSessions(app: FastifyInstance): Promise<void> {
  const { sessions, revoker, revocations } = app;
  app.decorate('endSession', async (request, reason, session) => {
    await revoker.revoke([session.sid]);
    return sessions.end(session, { reason, address: app.keyedAddress(request) });
  });
  app.decorate('endRevoked', async (request, session) => {
    if (!(await revocations.isRevoked(session.sid))) return false;
    const reason = 'interrupted';
    if (await sessions.end(session, { reason })) app.audit(request, 'revoke', { ...session, reason });
    return true;
  });
  app.decorate('endSessions', async (request, reason, uid, spared) => {
    const listed = (await sessions.list(uid)).map(({ sid }) => sid).filter((sid) => sid !== spared);
    if (listed.length === 0) return [];
    await revoker.revoke(listed);
    return sessions.endListed(uid, listed, { reason, address: app.keyedAddress(request) });
  });
}

/** Decorates the server with `endSession` and `endSessions`. */
export default fp(endSessions, {
  name: 'tollgate-end-sessions',
  fastify: '5.x',
  dependencies: ['tollgate-session-dependencies', 'tollgate-audit'],
});
