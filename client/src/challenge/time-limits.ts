// A time limit beside the signals of others.

export interface Patience {
  /** Aborted when the time is over, and with their reason when one of the given ones is. */
  readonly signal: AbortSignal;
  /** Takes the listeners off the given ones, and ends the limit. */
  end(): void;
}

/**
 * AbortSignal.any and AbortSignal.timeout are missing in browsers that can do everything else.
 * @param given whatever may end it before its time
 * @param lateReason makes the signal's reason when the time is over
 */
export function startPatience(
  limitMs: number,
  given: readonly (AbortSignal | null | undefined)[],
  lateReason?: () => Error,
): Patience {
  const controller = new AbortController();
  const signals = given.filter((signal) => signal != null);
  const abort = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  const timer = setTimeout(() => controller.abort(lateReason?.()), limitMs);
  if (signals.some(({ aborted }) => aborted)) abort();
  for (const signal of signals) signal.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
