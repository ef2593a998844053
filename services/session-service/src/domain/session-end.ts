// How a session ended, and the note of it that the store keeps for a while.

import type { Unrecovered } from './rotation.js';

/** Why a session ended, when a request asked for its end. */
export type RequestedEnd =
  /** Its owner logged out. */
  | 'logout'
  /** Its user ended it from another session, alone or with all others. */
  | 'revoked'
  | 'others_revoked'
  /** A log-in presented its cookie. */
  | 'login'
  /** The admin port ended all sessions of the user. */
  | 'admin'
  /** The directory says that the user is gone or disabled. */
  | 'user_gone'
  /** One of these was cut off between its two steps, and a request of the session finished it. */
  | 'interrupted';

/** Why a session ended; the store's own steps find the others. */
export type EndReason =
  | RequestedEnd
  /** The least recently used of too many. */
  | 'evicted'
  /** A refresh token that had been replaced came back. */
  | 'reuse'
  /** Not refreshed for `REFRESH_TTL`. */
  | 'expired'
  /** As old as `SESSION_MAX_AGE` allows. */
  | 'max_age';

/** What asked for an end. */
export interface EndCause {
  readonly reason: RequestedEnd;
  /** The keyed address of the client that asked. */
  readonly address?: string | undefined;
}

/** How a session ended. */
export interface SessionEnd {
  readonly sid: string;
  /** When it ended, in milliseconds since 1970. */
  readonly atMs: number;
  readonly reason: EndReason;
  /** The keyed address of the client whose request ended it. */
  readonly address?: string | undefined;
  /** With `reuse`: the generation that came and the one that was current. */
  readonly presented?: number;
  readonly current?: number;
  /** With `reuse`, when the one before the current came: why it was no lost answer. */
  readonly unrecovered?: Unrecovered;
}

/** Notes kept of one user; the oldest go first. */
export const MOST_NOTES = 200;

/**
 * The note, one line: time, session, reason, keyed address or `-`; after `reuse` the presented and the current
 * generation, and why there was no recovery where there might have been.
 */
export function formatSessionEnd(end: SessionEnd): string {
  const { atMs, sid, reason, address, presented, current, unrecovered } = end;
  const generations = presented === undefined ? [] : [presented, current];
  const why = unrecovered === undefined ? [] : [unrecovered];
  return [atMs, sid, reason, address ?? '-', ...generations, ...why].join(' ');
}

/** Reads what `formatSessionEnd` or a script wrote. */
export function parseSessionEnd(text: string): SessionEnd {
  const [atMs, sid = '', reason, address, presented, current, unrecovered] = text.split(' ');
  return {
    ...{ sid, atMs: Number(atMs), reason: reason as EndReason },
    ...(address === '-' || address === undefined ? {} : { address }),
    ...(presented === undefined ? {} : { presented: Number(presented), current: Number(current) }),
    ...(unrecovered === undefined ? {} : { unrecovered: unrecovered as Unrecovered }),
  };
}

/** The end of a session that nobody refreshed in time. */
export function expiredEnd(
  sid: string,
  session: { readonly expiresAtMs: number; readonly absoluteExpiresAtMs: number },
): SessionEnd {
  const { expiresAtMs: atMs, absoluteExpiresAtMs } = session;
  return { sid, atMs, reason: atMs === absoluteExpiresAtMs ? 'max_age' : 'expired' };
}

/**
 * The ends with the newest first, without those that are not after `sinceMs`, and without the oldest beyond the limit.
 * @param before the newest first
 * @param ends in the order they happened
 */
export function addSessionEnds(
  before: readonly SessionEnd[],
  ends: readonly SessionEnd[],
  sinceMs: number,
): SessionEnd[] {
  return [...ends.toReversed(), ...before].filter(({ atMs }) => atMs > sinceMs).slice(0, MOST_NOTES);
}

/** The notes as lines. */
export function formatSessionEnds(ends: readonly SessionEnd[]): string {
  return ends.map(formatSessionEnd).join('\n');
}

/** Reads what `formatSessionEnds` wrote; undefined is none. */
export function parseSessionEnds(text: string | undefined): SessionEnd[] {
  return text === undefined ? [] : text.split('\n').map(parseSessionEnd);
}
