// Writes the audit stream of a process: complete lines, limited in number, and a count of lost ones.

import type { AuditEntry, AuditLine, AuditName } from '../schemas/audit-events.js';
import { AUDIT_VERSION } from '../schemas/audit-fields.js';
import type { AuditSink } from './audit-file.js';
import { createFloodGate, WINDOW_MS } from './flood-gate.js';

/** The audit stream of one process. */
export interface AuditTrail {
  /** Writes an event; never throws. */
  write(entry: AuditEntry): void;
  /** Writes the pending summaries and closes the file. */
  close(): void;
}

/** The dependencies of an audit trail. */
export interface AuditTrailDependencies {
  readonly service: AuditLine['service'];
  readonly sink: AuditSink;
  /** Called for every event, written or not. */
  readonly onEvent?: (event: AuditName) => void;
  /** Called for an event that the flood gate suppressed. */
  readonly onSuppressed?: (event: AuditName) => void;
  /** Called for every line that could not be written; `isFirst` for the first after one that could. */
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
  }

  function sumUp(nowMs: number): void {
    for (const summary of gate.summaries(nowMs)) {
      onEvent?.(summary.event);
      put(summary, clock());
    }
  }

  // After a flood there may be no further event that would write its summary.
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
