// Shows a user's records as the list of sessions.

import { isLive, type SessionSet } from '../domain/session-set.js';
import type { ListedSession } from './session-store.js';

/** The live sessions, the most recently used first. */
export function listSessions(sessions: SessionSet, nowMs: number): ListedSession[] {
  return [...sessions]
    .filter(([, record]) => isLive(record, nowMs))
    .map(([sid, { createdAtMs, lastUsedAtMs, expiresAtMs, userAgent }]) => ({
      ...{ sid, createdAtMs, lastUsedAtMs, expiresAtMs, userAgent },
    }))
    .sort((a, b) => b.lastUsedAtMs - a.lastUsedAtMs || (a.sid < b.sid ? -1 : 1));
}
