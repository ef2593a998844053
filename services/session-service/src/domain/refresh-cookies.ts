// Which refresh cookie of a request counts, when there may be several of one name.

import type { RefreshClaims, TokenReading } from '@tollgate/shared/schemas/token-claims.js';

/** What the cookies of a request come to. */
export type PresentedSession =
  | { readonly ok: true; readonly claims: RefreshClaims }
  | { readonly ok: false; readonly reason: 'missing' | 'invalid' | 'expired' | 'conflict' };

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
 * one session the higher generation, and two different sessions are a conflict.
 */
export function presentedSession(readings: readonly TokenReading<RefreshClaims>[]): PresentedSession {
  const valid = readings.flatMap((reading) => (reading.ok ? [reading.claims] : []));
  const [first] = valid;
  if (first === undefined) {
    if (readings.length === 0) return { ok: false, reason: 'missing' };
    const expired = readings.some((reading) => !reading.ok && reading.reason === 'expired');
    return { ok: false, reason: expired ? 'expired' : 'invalid' };
  }
  if (valid.some((claims) => claims.sid !== first.sid || claims.sub !== first.sub)) {
    return { ok: false, reason: 'conflict' };
  }
  return { ok: true, claims: valid.reduce((best, claims) => (claims.gen > best.gen ? claims : best)) };
}

/** The claims of every different session among the readings. */
export function validSessions(readings: readonly TokenReading<RefreshClaims>[]): RefreshClaims[] {
  const bySession = new Map(
    readings.flatMap((reading) =>
      reading.ok ? [[`${reading.claims.sub} ${reading.claims.sid}`, reading.claims]] : [],
    ),
  );
  return [...bySession.values()];
}
