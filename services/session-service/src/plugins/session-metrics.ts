// What the session service counts.

import { createMetrics, type Metrics } from '@tollgate/shared/http/metrics.js';
import type { RevocationFollower } from '@tollgate/shared/sessions/revocation-follower.js';
import type { Revoker } from '@tollgate/shared/sessions/revoker.js';
import { type AuditEvent, auditEvents } from './audit.js';

/** What is looked at when the figures are asked for. */
export interface MeasuredParts {
  readonly revocations: Pick<RevocationFollower, 'lagSeconds' | 'size'>;
  readonly revoker: Pick<Revoker, 'waiting'>;
  readonly hashing: { readonly load: { readonly running: number; readonly waiting: number } };
}

/** The figures and what moves them. */
export interface SessionMetrics {
  readonly metrics: Metrics;
  countEvent(event: AuditEvent): void;
  /** @param keyId key id of the element of `ENCRYPTION_KEY` */
  countToken(kind: 'access' | 'refresh', keyId: string): void;
}

/** @param options.process whether memory, event loop and the like of the process are among the figures */
export function createSessionMetrics(parts: MeasuredParts, options: { process: boolean }): SessionMetrics {
  const metrics = createMetrics(options);
  const event = metrics.counter('tollgate_audit_events_total', 'Security events', ['event'], {
    event: auditEvents,
  });
  const token = metrics.counter('tollgate_tokens_made_total', 'Tokens encrypted under a key', [
    'kind',
    'key',
  ]);
  metrics.gauge(
    'tollgate_revocation_lag_seconds',
    'Seconds since this node lost the revocation log; 0 while it follows it',
    () => parts.revocations.lagSeconds(),
  );
  metrics.gauge(
    'tollgate_revoked_sessions',
    'Ended sessions that this node refuses from memory',
    () => parts.revocations.size,
  );
  metrics.gauge(
    'tollgate_revocations_waiting',
    'Ended sessions that this node could not yet make known to the others',
    () => parts.revoker.waiting,
  );
  metrics.gauge(
    'tollgate_password_checks',
    'Passwords being checked, and waiting to be',
    () => ({ ...parts.hashing.load }),
    'state',
  );
  return {
    metrics,
    countEvent: (name) => event({ event: name }),
    countToken: (kind, key) => token({ kind, key }),
  };
}
