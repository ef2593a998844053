// How a session is shown to its user.

import type { SessionEntry } from '@tollgate/shared/schemas/session-bodies.js';

/** A live session; times are milliseconds since 1970. */
export interface LiveSession {
  readonly sid: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly expiresAtMs: number;
  readonly userAgent: string;
}

/** @param currentSid the session that asks */
export function sessionEntry(session: LiveSession, currentSid: string): SessionEntry {
  return {
    id: session.sid,
    created_at: isoTime(session.createdAtMs),
    last_used_at: isoTime(session.lastUsedAtMs),
    expires_at: isoTime(session.expiresAtMs),
    user_agent: session.userAgent,
    current: session.sid === currentSid,
  };
}

/** ISO 8601 in UTC to the second, e.g. `2026-08-10T15:05:28+00:00` (decisions 1). */
function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
