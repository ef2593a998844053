// Retry delay: how long the service rejects further requests.

import { CaptchaRequestError } from './errors.js';

/** After a 429 without `Retry-After`. */
const DEFAULT_DELAY_SECONDS = 60;

interface RetryDelay {
  /** Time of the next allowed request, in epoch milliseconds; null if it is allowed now. */
  readonly untilMs: number | null;
  /** Starts the delay that a request error requires, if any. */
  apply(error: Error): void;
  close(): void;
}

/** @param onEnd called at the end of a delay */
export function createRetryDelay(onEnd: () => void): RetryDelay {
  let untilMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    untilMs = null;
    onEnd();
  };
  return {
    get untilMs() {
      // Compared with the clock, because timers are late after the machine slept.
      return untilMs !== null && Date.now() < untilMs ? untilMs : null;
    },
    apply(error) {
      if (!(error instanceof CaptchaRequestError)) return;
      const seconds = error.retryAfterSeconds ?? (error.isRateLimited ? DEFAULT_DELAY_SECONDS : 0);
      if (!(seconds > 0)) return;
      const delayMs = seconds * 1000;
      untilMs = Date.now() + delayMs;
      clearTimeout(timer);
      timer = setTimeout(end, delayMs);
    },
    close() {
      untilMs = null;
      clearTimeout(timer);
    },
  };
}
