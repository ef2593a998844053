// Limits the events that anyone can cause for free, and counts those that are suppressed.

import type { AuditEntry, AuditName } from '../schemas/audit-events.js';

/** A summary of suppressed events. */
export type Suppressed = Extract<AuditEntry, { event: 'events_suppressed' }>;

/** Admits a limited number of each event per window. */
export interface FloodGate {
  /** Returns whether to write this event; counts it if not. */
  admits(entry: AuditEntry, nowMs: number): boolean;
  /** Returns the summaries of the windows that have ended at `nowMs`; of all windows with `Infinity`. */
  summaries(nowMs: number): Suppressed[];
  /** Returns whether suppressed events are not yet in a summary. */
  isHolding(): boolean;
}

/** Length of a window from its first event, in milliseconds. */
export const WINDOW_MS = 60_000;
/** The most lines of one event in a window. */
export const MOST_LINES = 300;
/** The most accounts that a window counts, and that a summary names. */
const MOST_ACCOUNTS = 1000;
const NAMED_ACCOUNTS = 10;

/** Events that can be caused without end, and free: without an account or a key, or with one cookie and no key. */
export const LIMITED_EVENTS: ReadonlySet<AuditName> = new Set([
  'login_failed',
  'login_throttled',
  'sign_in_code_refused',
  'refresh_binding_missing',
  'challenge_refused',
  'pass_refused',
  'host_key_refused',
  'site_challenge_refused',
  'site_secret_refused',
  'api_key_refused',
]);

interface Window {
  readonly beganMs: number;
  lines: number;
  suppressed: number;
  sinceMs: number;
  readonly accounts: Map<string, number>;
}

export function createFloodGate(): FloodGate {
  const windows = new Map<AuditName, Window>();

  const summaries = (nowMs: number): Suppressed[] =>
    [...windows].flatMap(([name, window]) => {
      if (nowMs - window.beganMs < WINDOW_MS) return [];
      windows.delete(name);
      return window.suppressed === 0 ? [] : [summaryOf(name, window)];
    });

  return {
    summaries,
    isHolding: () => [...windows.values()].some(({ suppressed }) => suppressed > 0),
    admits(entry, nowMs) {
      if (!LIMITED_EVENTS.has(entry.event)) return true;
      let window = windows.get(entry.event);
      if (window === undefined) {
        window = { beganMs: nowMs, lines: 0, suppressed: 0, sinceMs: nowMs, accounts: new Map() };
        windows.set(entry.event, window);
      }
      if (window.lines < MOST_LINES) {
        window.lines += 1;
        return true;
      }
      if (window.suppressed === 0) window.sinceMs = nowMs;
      window.suppressed += 1;
      const account = 'account' in entry ? entry.account : undefined;
      if (account === undefined) return false;
      const counted = window.accounts.get(account);
      if (counted !== undefined || window.accounts.size < MOST_ACCOUNTS) {
        window.accounts.set(account, (counted ?? 0) + 1);
      }
      return false;
    },
  };
}

function summaryOf(suppressed: AuditName, { suppressed: count, sinceMs, accounts }: Window): Suppressed {
  return {
    event: 'events_suppressed',
    suppressed,
    count,
    since: new Date(sinceMs).toISOString(),
    accounts: [...accounts]
      .map(([account, count]) => ({ account, count }))
      .sort((one, other) => other.count - one.count)
      .slice(0, NAMED_ACCOUNTS),
  };
}
