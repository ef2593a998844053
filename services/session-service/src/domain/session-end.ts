// How a session ended, and the encoding of its note in the store.

import type { Unrecovered } from './rotation.js';

/** Why a session ended on request. */
export type RequestedEnd =
  /** Its owner logged out. */
  | 'logout'
  /** Its user ended it from another session: this one only, or all others. */
  | 'revoked'
  | 'others_revoked'
  /** A login sent its cookie. */
  | 'login'
  /** The admin port ended it, or all sessions of the user. */
  | 'admin'
  /** The password was changed, by its user in another session or by an application. */
  | 'password'
  /** The user is deleted or disabled in the directory. */
  | 'user_gone'
  /** Another key than the one that the session is bound to has signed. */
  | 'binding_failed'
  /** One of these was interrupted between its two steps, and a request of the session completed it. */
  | 'interrupted';

/** Why a session ended: on request, or for a reason that a step of the store found. */
export type EndReason =
  | RequestedEnd
  /** It was the least recently used beyond `MAX_SESSIONS`. */
  | 'evicted'
  /** A replaced refresh token was used again. */
  | 'reuse'
  /** It was not refreshed for `REFRESH_TTL`. */
  | 'expired'
  /** It reached `SESSION_MAX_AGE`. */
  | 'max_age';

/** The request that caused an end. */
export interface EndCause {
  readonly reason: RequestedEnd;
  /** Pseudonym of the requesting client's address. */
  readonly address?: string | undefined;
}

/** How a session ended. */
export interface SessionEnd {
  readonly sid: string;
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  readonly reason: EndReason;
  /** Pseudonym of the address of the client that caused it. */
  readonly address?: string | undefined;
  /** With `reuse`: the presented and the current generation. */
  readonly presented?: number;
  readonly current?: number;
  /** With `reuse` of the previous generation: why it was not treated as a lost response. */
  readonly unrecovered?: Unrecovered;
}

/** Notes stored per user; the oldest are dropped first. */
export const MAX_NOTES = 200;

/**
 * Encodes a note as one line: time, session, reason, address pseudonym or `-`; after `reuse` also the presented and the
 * current generation, and why there was no recovery if one was possible.
 */
function formatSessionEnd(end: SessionEnd): string {
  const { atMs, sid, reason, address, presented, current, unrecovered } = end;
  const generations = presented === undefined ? [] : [presented, current];
  const why = unrecovered === undefined ? [] : [unrecovered];
  return [atMs, sid, reason, address ?? '-', ...generations, ...why].join(' ');
}

/** Decodes the result of `formatSessionEnd` or of a script. */
export function parseSessionEnd(text: string): SessionEnd {
  const [atMs, sid = '', reason, address, presented, current, unrecovered] = text.split(' ');
  return {
    sid,
    atMs: Number(atMs),
    reason: reason as EndReason,
    ...(address === '-' || address === undefined ? {} : { address }),
    ...(presented === undefined ? {} : { presented: Number(presented), current: Number(current) }),
    ...(unrecovered === undefined ? {} : { unrecovered: unrecovered as Unrecovered }),
  };
}

/** The end of a session that was not refreshed in time. */
export function expiredEnd(
  sid: string,
  session: { readonly expiresAtMs: number; readonly absoluteExpiresAtMs: number },
): SessionEnd {
  const { expiresAtMs: atMs, absoluteExpiresAtMs } = session;
  return { sid, atMs, reason: atMs === absoluteExpiresAtMs ? 'max_age' : 'expired' };
}

/**
 * Adds ends to the notes. Drops notes at or before `sinceMs`, and the oldest beyond the limit.
 * @param before existing notes, the newest first
 * @param ends new ends, the oldest first
 * @returns the newest first
 */
export function addSessionEnds(
  before: readonly SessionEnd[],
  ends: readonly SessionEnd[],
  sinceMs: number,
): SessionEnd[] {
  return [...ends.toReversed(), ...before].filter(({ atMs }) => atMs > sinceMs).slice(0, MAX_NOTES);
}

/** Encodes the notes, one line each. */
export function formatSessionEnds(ends: readonly SessionEnd[]): string {
  return ends.map(formatSessionEnd).join('\n');
}

/** Decodes the result of `formatSessionEnds`; undefined is an empty list. */
export function parseSessionEnds(text: string | undefined): SessionEnd[] {
  return text === undefined ? [] : text.split('\n').map(parseSessionEnd);
}
