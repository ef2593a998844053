// The delay after which the service accepts the next request.

import { CaptchaRequestError } from './errors.js';

/** After a 429 without `Retry-After`. */
const DEFAULT_DELAY_SECONDS = 60;

/** The longest delay that a timer can hold. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export interface RetryDelay {
  /** When the next request is allowed, in epoch milliseconds; null if it is allowed now. */
  readonly untilMs: number | null;
  /** Starts the delay that the error of a request asks for, if any. */
  apply(error: Error): void;
  close(): void;
}

/** @param onEnd called when a delay is over */
export function createRetryDelay(onEnd: () => void): RetryDelay {
  let untilMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    untilMs = null;
    onEnd();
  };
  return {
    get untilMs() {
      // Compared with the clock, because the timer is late on a machine that slept.
      return untilMs !== null && Date.now() < untilMs ? untilMs : null;
    },
    apply(error) {
      if (!(error instanceof CaptchaRequestError)) return;
      const seconds = error.retryAfterSeconds ?? (error.isRateLimited ? DEFAULT_DELAY_SECONDS : 0);
      if (!(seconds > 0)) return;
      const delayMs = Math.min(seconds * 1000, MAX_DELAY_MS);
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
