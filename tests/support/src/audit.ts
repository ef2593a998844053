// An audit stream for tests that build an application.

import {
  type AuditCounters,
  type AuditTrail,
  createAuditTrail,
  openAuditTrail,
} from '@tollgate/shared/audit';
import type { AuditLine } from '@tollgate/shared/schemas';

/** A stream without a reader. */
export function silentTrail(): AuditTrail {
  return createAuditTrail({ service: 'challenge-service', sink: { write() {}, close() {} } });
}

/** A stream with lines collected for a test, counted like those of a service. */
export function trailTo(
  onLine: (line: string) => void,
  service: AuditLine['service'],
  counters: AuditCounters,
): AuditTrail {
  const log = { error: (about: object) => onLine(JSON.stringify(about)) };
  return openAuditTrail({ service, sink: { write: onLine, close() {} }, log, counters });
}
