// Opens the audit stream that the environment asks for.

import { resolve } from 'node:path';
import type { AuditLine, AuditName } from '../schemas/audit-events.js';
import { type AuditSink, openAuditFile } from './audit-file.js';
import { type AuditTrail, createAuditTrail } from './audit-trail.js';

/** The part of a logger that this file uses. */
export interface AuditLog {
  error(about: object, message: string): void;
}

/** Counts what becomes of events. */
export interface AuditCounters {
  countEvent(event: AuditName): void;
  countSuppressed(event: AuditName): void;
  countLost(): void;
}

/**
 * Opens where the lines go: `output`, or the end of the file `AUDIT_LOG`.
 *
 * @param settings.root folder that a relative path starts from
 * @param settings.output where lines go without a path: the standard output
 * @throws ConfigurationError with one line when the file cannot be opened
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

/** The stream on a sink. Lines that cannot be written are counted, told of in the log once, and stop nothing. */
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
 * @param about.keys key ids by the variable of their list, in its order
 * @param about.options hash of the options of the challenges
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
