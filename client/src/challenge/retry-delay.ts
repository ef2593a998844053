// How long the service asks to be left alone.

import { CaptchaRequestError } from './errors.js';

/** After a 429 that does not say how long. */
const USUAL_WAIT_SECONDS = 60;

/** More than that no timer can hold. */
const MOST_MS = 2 ** 31 - 1;

export interface Wait {
  /** When the next request is allowed, in epoch milliseconds; null when it is allowed. */
  readonly untilMs: number | null;
  /** Takes note of what a request failed with. */
  heed(failure: Error): void;
  close(): void;
}

/** @param over called when a wait has come to its end */
export function openWait(over: () => void): Wait {
  let untilMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    untilMs = null;
    over();
  };
  return {
    get untilMs() {
      // The timer of a machine that slept is late.
      return untilMs !== null && Date.now() < untilMs ? untilMs : null;
    },
    heed(failure) {
      if (!(failure instanceof CaptchaRequestError)) return;
      const seconds = failure.retryAfterSeconds ?? (failure.isRateLimited ? USUAL_WAIT_SECONDS : 0);
      if (!(seconds > 0)) return;
      const waitMs = Math.min(seconds * 1000, MOST_MS);
      untilMs = Date.now() + waitMs;
      clearTimeout(timer);
      timer = setTimeout(end, waitMs);
    },
    close() {
      untilMs = null;
      clearTimeout(timer);
    },
  };
}
