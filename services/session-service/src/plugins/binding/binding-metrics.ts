// The metrics of device binding.

import type { Metrics } from '@tollgate/shared/http/observability/metrics.js';
import type { BoundKind } from '../../domain/binding/session-binding.js';

/**
 * The outcome of a renewal: the browser was `challenged`, has `renewed` its cookie, was told that its session is `over`,
 * or had `failed` by a wrong signature.
 */
export type RenewalOutcome = 'challenged' | 'renewed' | 'over' | 'failed';

/** The counters of device binding. */
export interface BindingCounters {
  /** Counts a session that was bound to a key, by how. */
  countBinding(kind: BoundKind): void;
  /** Counts a renewal by its outcome. */
  countRenewal(outcome: RenewalOutcome): void;
}

declare module 'fastify' {
  interface FastifyInstance extends BindingCounters {}
}

const KINDS: readonly BoundKind[] = ['key', 'dbsc'];
const RENEWALS: readonly RenewalOutcome[] = ['challenged', 'renewed', 'over', 'failed'];

export function createBindingCounters(metrics: Metrics): BindingCounters {
  const bound = metrics.counter(
    'tollgate_sessions_bound_total',
    'Sessions bound to a key of their device: by proofs of the page (key) or by the browser (dbsc)',
    ['kind'],
    { kind: KINDS },
  );
  const renewal = metrics.counter(
    'tollgate_renewals_total',
    'Renewals of the cookie of sessions bound by their browser, by what they came to',
    ['outcome'],
    { outcome: RENEWALS },
  );
  return {
    countBinding: (kind) => bound({ kind }),
    countRenewal: (outcome) => renewal({ outcome }),
  };
}
