// Writes the audit stream of a process: complete lines, rate-limited, with a count of lost ones.

import type { AuditEntry, AuditLine, AuditName } from '../schemas/audit-events.js';
import { AUDIT_VERSION } from '../schemas/audit-fields.js';
import type { AuditSink } from './open-audit-trail.js';

/** The audit stream of one process. */
export interface AuditTrail {
  /** Writes an event; never throws. */
  write(entry: AuditEntry): void;
  /** Writes the pending summaries and closes the file. */
  close(): void;
}

/** The dependencies of an audit trail. */
interface AuditTrailDependencies {
  readonly service: AuditLine['service'];
  readonly sink: AuditSink;
  /** Called for every event, even if it is not written. */
  readonly onEvent?: (event: AuditName) => void;
  /** Called for an event that the flood gate suppressed. */
  readonly onSuppressed?: (event: AuditName) => void;
  /** Called for every line that could not be written; `isFirst` for the first after a success. */
  readonly onLost?: (error: unknown, isFirst: boolean) => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export function createAuditTrail(deps: AuditTrailDependencies): AuditTrail {
  const { service, sink, onEvent, onSuppressed, onLost, clock = Date.now } = deps;
  const gate = createFloodGate();
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;

  function put(entry: AuditEntry, nowMs: number): void {
    const { event, ...about } = entry;
    const time = new Date(nowMs).toISOString();
    const line = { type: 'audit', version: AUDIT_VERSION, time, service, event, ...about };
    try {
      sink.write(JSON.stringify(line));
    } catch (error) {
      lost += 1;
      onLost?.(error, lost === 1);
      return;
    }
    if (lost === 0 || event === 'audit_lost') return;
    const count = lost;
    lost = 0;
    onEvent?.('audit_lost');
    put({ event: 'audit_lost', count }, nowMs);
    if (lost > 0) lost += count;
  }

  function sumUp(nowMs: number): void {
    for (const summary of gate.summaries(nowMs)) {
      onEvent?.(summary.event);
      put(summary, clock());
    }
  }

  // After a flood there may be no further event to trigger its summary.
  function sumUpLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      sumUp(clock());
      if (gate.isHolding()) sumUpLater();
    }, WINDOW_MS).unref();
  }

  return {
    write(entry) {
      const nowMs = clock();
      onEvent?.(entry.event);
      sumUp(nowMs);
      if (gate.admits(entry, nowMs)) return put(entry, nowMs);
      onSuppressed?.(entry.event);
      sumUpLater();
    },
    close() {
      clearTimeout(timer);
      sumUp(Number.POSITIVE_INFINITY);
      sink.close();
    },
  };
}

/** A summary of suppressed events. */
type Suppressed = Extract<AuditEntry, { event: 'events_suppressed' }>;

/** Admits a limited number of each event per window. */
interface FloodGate {
  /** Returns whether to write this event; otherwise counts it. */
  admits(entry: AuditEntry, nowMs: number): boolean;
  /** Returns the summaries of windows that have ended at `nowMs`; of all windows with `Infinity`. */
  summaries(nowMs: number): Suppressed[];
  /** Returns whether suppressed events await a summary. */
  isHolding(): boolean;
}

/** Length of a window from its first event, in milliseconds. */
export const WINDOW_MS = 60_000;
/** The most lines of one event in a window. */
export const MOST_LINES = 300;
/** The most accounts that a window counts, and that a summary names. */
const MOST_ACCOUNTS = 1000;
const NAMED_ACCOUNTS = 10;

/** Events that anybody can cause endlessly and for free: without an account or a key, or with one cookie and no key. */
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

function createFloodGate(): FloodGate {
  const windows = new Map<AuditName, Window>();

  const summaries = (nowMs: number): Suppressed[] =>
    [...windows].flatMap(([name, window]) => {
      // A clock that was set back ends a window too.
      if (Math.abs(nowMs - window.beganMs) < WINDOW_MS) return [];
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
