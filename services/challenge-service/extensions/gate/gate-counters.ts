// The metrics of the gate.

import type { Metrics } from '@tollgate/shared/http';

/** Counts what happens at the gate. */
export interface GateCounters {
  /** A request that a gateway has asked about. */
  checked(verdict: { readonly outcome: string; readonly reason: string }): void;
  /** A pass. */
  issued(): void;
}

/** Adds the metrics. */
export function createGateCounters(metrics: Metrics): GateCounters {
  const checks = metrics.counter(
    'tollgate_gate_checks_total',
    'Requests that a gateway has asked about, by what became of them',
    ['outcome', 'reason'],
  );
  const passes = metrics.counter('tollgate_gate_passes_total', 'Passes that were issued');
  return { checked: ({ outcome, reason }) => checks({ outcome, reason }), issued: () => passes() };
}
