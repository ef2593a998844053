// Ends sessions by id in two steps: first the entry in the revocation log, which every node reads, then the record.

import { answerLimitOf } from '@tollgate/shared/http';
import type { UserId } from '@tollgate/shared/schemas';
import { waitForAnswer } from '@tollgate/shared/store';
import type { FastifyRequest } from 'fastify';
import type { RequestedEnd } from '../domain/session-end.js';
import { deviceVoidsOf, sessionsOf } from '../plugins/dependencies.js';
import type { SessionRef } from '../stores/session-store.js';

/**
 * Ends one session on request, and returns whether it was alive.
 * @throws StoreUnavailableError if either step fails; calling it again completes the end
 */
export async function endSession(
  request: FastifyRequest,
  reason: RequestedEnd,
  session: SessionRef,
): Promise<boolean> {
  await revoke(request, [session.sid]);
  const address = request.server.audit.pseudonymOf(request);
  return sessionsOf(request).end(session, { reason, address });
}

/**
 * Returns whether a session is revoked. If its record still exists because an end was interrupted between the two
 * steps, completes that end: the entry expires, and the session would be alive again.
 * @throws StoreUnavailableError if it cannot be completed
 */
export async function endRevoked(request: FastifyRequest, session: SessionRef): Promise<boolean> {
  const { stores, audit } = request.server;
  const isRevoked = stores.revocations.isRevoked(session.sid, answerLimitOf(request));
  if (isRevoked === false || !(await isRevoked)) return false;
  const reason = 'interrupted';
  if (await sessionsOf(request).end(session, { reason }))
    audit.write(request, 'revoke', { ...session, reason });
  return true;
}

/**
 * Ends all current sessions of a user except `exceptSid`, voids the device cookies of all devices but that of `exceptSid`,
 * and writes each end to the audit stream. A session that starts meanwhile stays alive.
 * @throws StoreUnavailableError as `endSession` does
 */
export async function endSessions(
  request: FastifyRequest,
  reason: Exclude<RequestedEnd, 'logout' | 'binding_failed'>,
  uid: UserId,
  exceptSid?: string,
): Promise<void> {
  const { audit } = request.server;
  await deviceVoidsOf(request).void(uid, exceptSid);
  const listed = (await sessionsOf(request).list(uid))
    .map(({ sid }) => sid)
    .filter((sid) => sid !== exceptSid);
  if (listed.length === 0) return;
  await revoke(request, listed);
  const cause = { reason, address: audit.pseudonymOf(request) };
  const ended = await sessionsOf(request).endListed(uid, listed, cause);
  for (const sid of ended) audit.write(request, 'revoke', { uid, sid, reason });
}

function revoke(request: FastifyRequest, sids: readonly string[]): Promise<void> {
  return waitForAnswer(answerLimitOf(request), request.server.stores.revoker.revoke(sids));
}
