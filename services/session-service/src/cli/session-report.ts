// The report on a session, for `session why`.

import type { UserId } from '@tollgate/shared/schemas';
import { expiredEnd, MAX_NOTES, type SessionEnd } from '../domain/session-end.js';
import type { SessionRecord } from '../domain/session-record.js';
import type { SessionLookup } from '../stores/session-store.js';
import { explainEnd } from './end-explanation.js';
import { type Report, utcTime } from './report.js';

/** The result of `session why`. */
interface SessionReport extends Report {
  readonly state: 'alive' | 'ending' | 'ended' | 'unknown';
}

/**
 * Reports the state of a session.
 * @param result the result of the lookup, and whether the revocation log has an entry for the session
 * @param keepSeconds `AUDIT_TTL`
 */
export function reportSession(
  sid: string,
  { nowMs, known, isRevoked }: SessionLookup & { readonly isRevoked: boolean },
  keepSeconds: number,
): SessionReport {
  if (known === undefined) return unknown(sid, keepSeconds);
  if ('end' in known) return ended(known.end, known.uid);
  const { uid, record } = known;
  if (record.expiresAtMs <= nowMs) return ended(expiredEnd(sid, record), uid);
  return isRevoked ? ending(sid, uid) : alive(sid, uid, record);
}

function ending(sid: string, uid: UserId): SessionReport {
  return {
    state: 'ending',
    isKnown: true,
    lines: [
      `Session ${sid} of user ${uid} is being ended: its tokens are rejected, the record still exists.`,
      'Meaning: An end was requested and is in progress, or it was interrupted: the store did not respond, and the requesting client got a 503.',
      `To do: If this persists, end it again, for instance with all sessions of the user (DELETE /users/${uid}/sessions on the admin port). A refresh completes it too; without either it is alive again a minute after ACCESS_TTL.`,
    ],
    facts: { session: sid, state: 'ending', user: uid },
  };
}

function alive(sid: string, uid: UserId, record: SessionRecord): SessionReport {
  const { generation } = record;
  const [created, used, expires, absolute] = [
    record.createdAtMs,
    record.lastUsedAtMs,
    record.expiresAtMs,
    record.absoluteExpiresAtMs,
  ].map(utcTime) as [string, string, string, string];
  return {
    state: 'alive',
    isKnown: true,
    lines: [
      `Session ${sid} of user ${uid} is alive, at generation ${generation}.`,
      `Started: ${created}, last used: ${used}.`,
      `Ends: ${expires} unless it is refreshed, ${absolute} in any case.`,
      'If its user is logged out nevertheless, the browser has lost the cookie or sends that of another session.',
    ],
    facts: {
      session: sid,
      state: 'alive',
      user: uid,
      generation,
      created_at: created,
      last_used_at: used,
      expires_at: expires,
      absolute_expires_at: absolute,
    },
  };
}

function ended(end: SessionEnd, uid: UserId): SessionReport {
  const { sid, atMs, reason, address, presented, current, unrecovered } = end;
  const { what, means, todo } = explainEnd(end, uid);
  return {
    state: 'ended',
    isKnown: true,
    lines: [
      `Session ${sid} of user ${uid} ended at ${utcTime(atMs)}: ${reason}.`,
      what,
      `Meaning: ${means}`,
      `To do: ${todo}`,
      ...(address === undefined
        ? []
        : [`Requested by: ${address}, the \`address\` of that client in the log.`]),
    ],
    facts: {
      session: sid,
      state: 'ended',
      user: uid,
      reason,
      ended_at: utcTime(atMs),
      ...(address === undefined ? {} : { address }),
      ...(presented === undefined || current === undefined ? {} : { presented, current }),
      ...(unrecovered === undefined ? {} : { unrecovered }),
    },
  };
}

function unknown(sid: string, keepSeconds: number): SessionReport {
  const older =
    keepSeconds === 0
      ? 'it has ended: ends are not stored, AUDIT_TTL is 0;'
      : `it ended more than ${keepSeconds} s ago (AUDIT_TTL), or ${MAX_NOTES} others of its user ended after it;`;
  return {
    state: 'unknown',
    isKnown: false,
    lines: [
      `Session ${sid} is unknown. Possible reasons:`,
      `- ${older}`,
      '- it was not refreshed in time and its user had no other session: that is not stored;',
      '- it was never on this store, or belongs to another user than the requested one.',
    ],
    facts: { session: sid, state: 'unknown', kept_seconds: keepSeconds },
  };
}
