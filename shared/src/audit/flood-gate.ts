// Bounds the lines of events that strangers can cause for nothing, and counts what is not written.

import type { AuditEntry, AuditName } from '../schemas/audit-events.js';

/** A summary of what was not written. */
export type Suppressed = Extract<AuditEntry, { event: 'events_suppressed' }>;

/** Lets through a number of each event per window. */
export interface FloodGate {
  /** Whether this one is to be written; one that is not is counted. */
  admits(entry: AuditEntry, nowMs: number): boolean;
  /** The summaries of the windows that are over at `nowMs`; of all of them with `Infinity`. */
  summaries(nowMs: number): Suppressed[];
  /** Whether something was kept back that no summary has told yet. */
  isHolding(): boolean;
}

/** Milliseconds that a window lasts from its first event. */
export const WINDOW_MS = 60_000;
/** Lines of one event within a window. */
export const MOST_LINES = 300;
/** Accounts that are counted one by one within a window, and those that a summary names. */
const MOST_ACCOUNTS = 1000;
const NAMED_ACCOUNTS = 10;

/** What can be caused without an account or a key. */
export const LIMITED_EVENTS: ReadonlySet<AuditName> = new Set([
  'login_failed',
  'login_throttled',
  'challenge_refused',
  'host_key_refused',
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
