// Access token and its age. A closure hides the token: only code that received the object can read it.

import type { Environment } from './environment.js';

type Clocks = Pick<Environment, 'nowMs' | 'monotonicMs'>;

export interface AccessToken {
  /** Returns the token itself. */
  reveal(): string;
  readonly lifeMs: number;
  /** Expiry time, milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** Milliseconds since the request. */
  ageMs(): number;
}

/** Starts a stopwatch. */
export function startStopwatch(clocks: Clocks) {
  const nowMs = clocks.nowMs();
  const monotonicMs = clocks.monotonicMs();
  return {
    startedAtMs: nowMs,
    // One clock may stop during sleep, the other can be set back: the larger age is correct.
    elapsedMs: () => Math.max(clocks.nowMs() - nowMs, clocks.monotonicMs() - monotonicMs),
  };
}

/** @param stopwatch started with the token request: the token cannot be older */
export function createAccessToken(
  token: string,
  lifeMs: number,
  { startedAtMs, elapsedMs }: ReturnType<typeof startStopwatch>,
): AccessToken {
  return { reveal: () => token, lifeMs, expiresAtMs: startedAtMs + lifeMs, ageMs: elapsedMs };
}
