// Challenge lifetimes, and timeouts combined with other abort signals.

/** Reading of both clocks. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Period in which a challenge can be sent. */
export interface Lifetime {
  /** Milliseconds left, by the clock that has advanced further; negative once expired. */
  leftMs(): number;
}

/** Margin before expiry, so that a challenge does not expire in transit. */
const MARGIN_SECONDS = 5;

/** Maximum share of a short lifetime used as margin. */
const MARGIN_SHARE = 0.25;

/** Reads both clocks: some browsers stop the monotonic clock during sleep, and users can change the wall clock. */
export function readClocks(): ClockReading {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** @param from time of the request: the challenge cannot have been issued earlier */
export function startLifetime(from: ClockReading, expiresInSeconds: number): Lifetime {
  const marginSeconds = Math.min(MARGIN_SECONDS, expiresInSeconds * MARGIN_SHARE);
  const usableMs = (expiresInSeconds - marginSeconds) * 1000;
  return {
    leftMs() {
      const now = readClocks();
      return usableMs - Math.max(now.monotonicMs - from.monotonicMs, now.wallMs - from.wallMs);
    },
  };
}

export function isExpired({ lifetime }: { readonly lifetime: Lifetime }): boolean {
  return lifetime.leftMs() <= 0;
}

interface Timeout {
  /** Aborts after the limit, or with the reason of one of the given signals as soon as that aborts. */
  readonly signal: AbortSignal;
  /** Stops the timer and removes the listeners from the given signals. */
  clear(): void;
}

/**
 * Replaces AbortSignal.any and AbortSignal.timeout, which some supported browsers lack.
 * @param signals abort the timeout's signal early
 * @param timeoutReason creates the abort reason on timeout
 */
export function startTimeout(
  limitMs: number,
  signals: readonly (AbortSignal | null | undefined)[],
  timeoutReason?: () => Error,
): Timeout {
  const controller = new AbortController();
  const given = signals.filter((signal) => signal != null);
  const abort = () => controller.abort(given.find(({ aborted }) => aborted)?.reason);
  const timer = setTimeout(() => controller.abort(timeoutReason?.()), limitMs);
  if (given.some(({ aborted }) => aborted)) abort();
  for (const signal of given) signal.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      for (const signal of given) signal.removeEventListener('abort', abort);
    },
  };
}
