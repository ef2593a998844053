// Retries automatically after temporary failures: no network, no response, an unavailable service.
import type { ChallengeState } from '../challenge/challenge-state.js';
import { isPassing } from './error-codes.js';

/** Milliseconds before the first retry; each further one waits twice as long. */
const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;

interface AutoRetry {
  /** Call it after each change. */
  update(state: ChallengeState | null): void;
  stop(): void;
}

/** @param retry repeats the failed fetch */
export function createAutoRetry(retry: () => void): AutoRetry {
  let failures = 0;
  let failed: Error | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function retryNow(): void {
    if (failed === null || document.visibilityState === 'hidden') return;
    clearTimeout(timer);
    retry();
  }

  function stop(): void {
    clearTimeout(timer);
    failed = null;
    removeEventListener('online', retryNow);
    document.removeEventListener('visibilitychange', retryNow);
  }

  return {
    update(state) {
      if (state === null || state.status === 'ready') failures = 0;
      if (state?.status !== 'error' || state.error === null || !isPassing(state.error)) return stop();
      // A `Retry-After` delay ends with a state change.
      if (state.error === failed || state.retryAtMs !== null) return;
      failed = state.error;
      addEventListener('online', retryNow);
      document.addEventListener('visibilitychange', retryNow);
      const delayMs = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
      failures += 1;
      // Random spread: all waiting clients return at the same time.
      timer = setTimeout(retryNow, delayMs * (0.75 + Math.random() / 2));
    },
    stop,
  };
}
