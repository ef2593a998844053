// Opens the configured audit stream and writes its first events.

import { resolve } from 'node:path';
import type { AuditLine, AuditName } from '../schemas/audit-events.js';
import { type AuditSink, openAuditFile } from './audit-file.js';
import { type AuditTrail, createAuditTrail } from './audit-trail.js';

/** The part of a logger that this file uses. */
export interface AuditLog {
  error(about: object, message: string): void;
}

/** Counts events for metrics. */
export interface AuditCounters {
  countEvent(event: AuditName): void;
  countSuppressed(event: AuditName): void;
  countLost(): void;
}

/**
 * Opens the destination of the lines: `output`, or the file `AUDIT_LOG`.
 *
 * @param settings.root folder that a relative path starts from
 * @param settings.output destination without a path: the standard output
 * @throws ConfigurationError with one line if the file cannot be opened
 */
export function openAuditSink(settings: {
  readonly path: string | undefined;
  readonly root: string;
  readonly output: { write(text: string): void };
}): AuditSink {
  const { path, root, output } = settings;
  if (path !== undefined) return openAuditFile(resolve(root, path));
  return { write: (line) => output.write(`${line}\n`), close() {} };
}

/** Opens the stream on a sink. Lines that cannot be written are counted and logged once; they stop nothing. */
export function openAuditTrail(deps: {
  readonly service: AuditLine['service'];
  readonly sink: AuditSink;
  readonly log: AuditLog;
  readonly counters: AuditCounters;
}): AuditTrail {
  const { service, sink, log, counters } = deps;
  return createAuditTrail({
    service,
    sink,
    onEvent: counters.countEvent,
    onSuppressed: counters.countSuppressed,
    onLost(error, isFirst) {
      counters.countLost();
      if (isFirst) log.error({ err: error }, 'security events cannot be written: look at AUDIT_LOG');
    },
  });
}

/**
 * Writes `service_started` and, in test mode, `test_mode_on`.
 * @param about.keys key ids by variable, in the order of its list
 * @param about.options config fingerprint
 */
export function writeStartEvents(
  trail: AuditTrail,
  about: {
    readonly keys: Readonly<Record<string, string[]>>;
    readonly options: string;
    readonly isTestMode: boolean;
  },
): void {
  const { keys, options, isTestMode } = about;
  trail.write({ event: 'service_started', keys, options });
  if (isTestMode) trail.write({ event: 'test_mode_on' });
}
