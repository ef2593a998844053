// The sessions of one user: starting one, removing expired ones, evicting the least recently used.

import {
  cleanUserAgent,
  formatSessionRecord,
  parseSessionRecord,
  refreshTtlOf,
  type SessionAttributes,
  type SessionRecord,
  type SessionRules,
} from './session-record.js';

/** The sessions of one user by id. */
export type SessionSet = Map<string, SessionRecord>;

/** Whether a session can still be refreshed. */
export function isLive(record: SessionRecord, nowMs: number): boolean {
  return record.expiresAtMs > nowMs;
}

/** The session of a login at this moment. */
export function newSession(
  userAgent: string,
  nowMs: number,
  rules: Pick<SessionRules, 'refreshTtlMs' | 'notRememberedTtlMs' | 'maxAgeMs'>,
  attributes: SessionAttributes = {},
): SessionRecord {
  const absoluteExpiresAtMs = nowMs + rules.maxAgeMs;
  return {
    expiresAtMs: Math.min(nowMs + refreshTtlOf(attributes, rules), absoluteExpiresAtMs),
    lastUsedAtMs: nowMs,
    createdAtMs: nowMs,
    absoluteExpiresAtMs,
    rotatedAtMs: 0,
    generation: 1,
    used: 0,
    recoveries: [],
    userAgent: cleanUserAgent(userAgent),
    attributes,
  };
}

/**
 * Removes the expired sessions from the set.
 * @returns the removed sessions with their ids
 */
export function dropExpired(sessions: SessionSet, nowMs: number): [sid: string, record: SessionRecord][] {
  const expired = [...sessions].filter(([, record]) => !isLive(record, nowMs));
  for (const [sid] of expired) sessions.delete(sid);
  return expired;
}

/**
 * Removes the least recently used sessions from the set until `maxSessions` are left; never `keptSid`.
 * @returns their ids
 */
export function evict(sessions: SessionSet, keptSid: string, maxSessions: number): string[] {
  const evicted = [...sessions]
    .filter(([sid]) => sid !== keptSid)
    .sort(([sidA, a], [sidB, b]) => a.lastUsedAtMs - b.lastUsedAtMs || (sidA < sidB ? -1 : 1))
    .slice(0, Math.max(0, sessions.size - maxSessions))
    .map(([sid]) => sid);
  for (const sid of evicted) sessions.delete(sid);
  return evicted;
}

/** When the last of the sessions expires, in milliseconds since 1970. */
export function latestExpiryMs(sessions: SessionSet): number {
  return Math.max(...[...sessions.values()].map(({ expiresAtMs }) => expiresAtMs));
}

/** Encodes the sessions, one line each: id and record. */
export function formatSessionSet(sessions: SessionSet): string {
  return [...sessions].map(([sid, record]) => `${sid} ${formatSessionRecord(record)}`).join('\n');
}

/** Decodes the result of `formatSessionSet`; undefined is the empty set. */
export function parseSessionSet(text: string | undefined): SessionSet {
  const lines = text === undefined ? [] : text.split('\n');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(' ');
      return [line.slice(0, at), parseSessionRecord(line.slice(at + 1))];
    }),
  );
}
