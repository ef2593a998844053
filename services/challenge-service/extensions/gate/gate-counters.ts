// The metrics of the gate.

import type { Metrics } from '@tollgate/shared/http';

/** Counts events at the gate. */
interface GateCounters {
  /** A check requested by a gateway. */
  checked(verdict: { readonly outcome: string; readonly reason: string }): void;
  /** A pass. */
  issued(): void;
}

/** Adds the metrics. */
export function createGateCounters(metrics: Metrics): GateCounters {
  const checks = metrics.counter('tollgate_gate_checks_total', 'Gate checks by outcome', [
    'outcome',
    'reason',
  ]);
  const passes = metrics.counter('tollgate_gate_passes_total', 'Issued passes');
  return { checked: ({ outcome, reason }) => checks({ outcome, reason }), issued: () => passes() };
}
