// Backoff after failures: none after the first, then longer with each further one.

const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

interface GrowingPause {
  /** Consecutive failures. */
  readonly failures: number;
  /** Remaining milliseconds; 0 or less if there is no pause. */
  readonly leftMs: number;
  /** Counts a failure and starts its pause. */
  fail(): void;
  /** Ends the pause and forgets the failures. */
  end(): void;
}

export function createGrowingPause(): GrowingPause {
  let failures = 0;
  let endsAtMs = 0;
  return {
    get failures() {
      return failures;
    },
    get leftMs() {
      return endsAtMs - performance.now();
    },
    fail() {
      failures += 1;
      const pauseMs = failures < 2 ? 0 : Math.min(FIRST_MS * 2 ** (failures - 2), LONGEST_MS);
      endsAtMs = performance.now() + pauseMs;
    },
    end() {
      failures = 0;
      endsAtMs = 0;
    },
  };
}
