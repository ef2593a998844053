// Which refresh cookie of a request counts, when there may be several of one name.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas/token-claims.js';

/** What the cookies of a request come to. */
export type PresentedSession =
  | { readonly ok: true; readonly claims: RefreshClaims }
  | { readonly ok: false; readonly reason: 'missing' | 'invalid' | 'expired' }
  /** Different sessions: which of them are alive decides (`survivingSession`). */
  | { readonly ok: false; readonly reason: 'conflict'; readonly sessions: readonly RefreshClaims[] };

/**
 * Every value of a cookie in a Cookie header, in its order. Parsers give one value a name, so a planted twin
 * would hide the real one from them.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) values.push(pair.slice(at + 1).trim());
  }
  return values;
}

/**
 * Chooses among the readings of all refresh cookies (decisions 3.3): one valid among invalid ones is used, of
 * one session the higher generation, and different sessions are a conflict.
 */
export function presentedSession(readings: readonly TokenReading<RefreshClaims>[]): PresentedSession {
  const sessions = validSessions(readings);
  const [claims] = sessions;
  if (claims === undefined) {
    if (readings.length === 0) return { ok: false, reason: 'missing' };
    const expired = readings.some((reading) => !reading.ok && reading.reason === 'expired');
    return { ok: false, reason: expired ? 'expired' : 'invalid' };
  }
  return sessions.length === 1 ? { ok: true, claims } : { ok: false, reason: 'conflict', sessions };
}

/** The claims of every different session among the readings, of each the highest generation. */
export function validSessions(readings: readonly TokenReading<RefreshClaims>[]): RefreshClaims[] {
  const bySession = new Map<string, RefreshClaims>();
  for (const reading of readings) {
    if (!reading.ok) continue;
    const { claims } = reading;
    const key = `${claims.sub} ${claims.sid}`;
    const best = bySession.get(key);
    if (best === undefined || claims.gen > best.gen) bySession.set(key, claims);
  }
  return [...bySession.values()];
}

/**
 * What is left of a conflict: the one session that lives, `none`, or `several`. A planted cookie keeps its owner out
 * for no longer than its own session lives.
 */
export function survivingSession(
  sessions: readonly RefreshClaims[],
  isAlive: (sid: string) => boolean,
): RefreshClaims | 'none' | 'several' {
  const [claims, ...others] = sessions.filter(({ sid }) => isAlive(sid));
  if (claims === undefined) return 'none';
  return others.length === 0 ? claims : 'several';
}
