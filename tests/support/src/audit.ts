// An audit stream for tests that build an application.

import {
  type AuditCounters,
  type AuditTrail,
  createAuditTrail,
  openAuditTrail,
} from '@tollgate/shared/audit';
import type { AuditLine } from '@tollgate/shared/schemas';

/** A stream that nobody reads. */
export function silentTrail(): AuditTrail {
  return createAuditTrail({ service: 'challenge-service', sink: { write() {}, close() {} } });
}

/** A stream whose lines a test takes, counted as those of a service are. */
export function trailTo(
  onLine: (line: string) => void,
  service: AuditLine['service'],
  counters: AuditCounters,
): AuditTrail {
  const log = { error: (about: object) => onLine(JSON.stringify(about)) };
  return openAuditTrail({ service, sink: { write: onLine, close() {} }, log, counters });
}
