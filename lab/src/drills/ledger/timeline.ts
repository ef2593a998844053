// When each request was sent and got its response, and the derived failures, gaps and last failure.

/** One request of the load. Times are those of `performance.now()`. */
export interface Exchange {
  readonly operation: string;
  readonly sentMs: number;
  readonly endedMs: number;
  /** The result in place of an expected response: `503 store_unavailable`, `timeout`. */
  readonly failure: string | undefined;
}

/** Operations that do not use the store. */
const WITHOUT_STORE = new Set(['verify', 'verify ended']);

/** Number of failed requests, by kind: `operation: result`. */
export function countFailures(exchanges: readonly Exchange[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { operation, failure } of exchanges) {
    if (failure === undefined) continue;
    const kind = `${operation}: ${failure}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}

/** The longest time, in milliseconds, without an expected response of an operation that uses the store. */
export function longestGapMs(exchanges: readonly Exchange[]): number {
  const successes = exchanges
    .filter(({ operation, failure }) => failure === undefined && !WITHOUT_STORE.has(operation))
    .map(({ endedMs }) => endedMs)
    .sort((a, b) => a - b);
  let longest = 0;
  for (const [at, endedMs] of successes.entries()) {
    longest = Math.max(longest, endedMs - (successes[at - 1] ?? endedMs));
  }
  return longest;
}

/** When the last failure was received, in milliseconds after a moment; undefined if there was none after it. */
export function lastFailureAfter(exchanges: readonly Exchange[], momentMs: number): number | undefined {
  const last = Math.max(
    ...exchanges.filter(({ failure }) => failure !== undefined).map(({ endedMs }) => endedMs),
  );
  return last > momentMs ? last - momentMs : undefined;
}
