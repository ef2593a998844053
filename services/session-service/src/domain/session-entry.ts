// A user's list of live sessions, and the user's view of each.

import { isoTime, type SessionEntry } from '@tollgate/shared/schemas';
import { isLive, type SessionSet } from './session-set.js';

/** A live session in the user's view. Times are milliseconds since 1970. */
export interface ListedSession {
  readonly sid: string;
  readonly createdAtMs: number;
  /** Time of its start or last refresh. */
  readonly lastUsedAtMs: number;
  /** Expiry time if not refreshed. */
  readonly expiresAtMs: number;
  readonly userAgent: string;
}

/** The live sessions, the most recently used first. */
export function listSessions(sessions: SessionSet, nowMs: number): ListedSession[] {
  return [...sessions]
    .filter(([, record]) => isLive(record, nowMs))
    .map(([sid, { createdAtMs, lastUsedAtMs, expiresAtMs, userAgent }]) => ({
      sid,
      createdAtMs,
      lastUsedAtMs,
      expiresAtMs,
      userAgent,
    }))
    .sort((a, b) => b.lastUsedAtMs - a.lastUsedAtMs || (a.sid < b.sid ? -1 : 1));
}

/** @param currentSid session of the request; undefined if it has none */
export function sessionEntry(session: ListedSession, currentSid?: string): SessionEntry {
  return {
    id: session.sid,
    created_at: isoTime(session.createdAtMs),
    last_used_at: isoTime(session.lastUsedAtMs),
    expires_at: isoTime(session.expiresAtMs),
    user_agent: session.userAgent,
    current: session.sid === currentSid,
  };
}
