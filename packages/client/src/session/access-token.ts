// The access token and its age. A closure keeps the token, so that only code that was given it can read it.

import type { Environment } from './environment.js';

type Clocks = Pick<Environment, 'nowMs' | 'monotonicMs'>;

export interface AccessToken {
  /** Returns the token itself. */
  reveal(): string;
  readonly lifeMs: number;
  /** When it expires, milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** Milliseconds since it was requested. */
  ageMs(): number;
}

/** Measures time from now on. */
export function startStopwatch(clocks: Clocks) {
  const nowMs = clocks.nowMs();
  const monotonicMs = clocks.monotonicMs();
  return {
    startedAtMs: nowMs,
    // One clock may stop while the machine sleeps, the other can be set back: the larger age is the right one.
    elapsedMs: () => Math.max(clocks.nowMs() - nowMs, clocks.monotonicMs() - monotonicMs),
  };
}

/** @param stopwatch started when the token was requested: the token cannot be older than that */
export function createAccessToken(
  token: string,
  lifeMs: number,
  { startedAtMs, elapsedMs }: ReturnType<typeof startStopwatch>,
): AccessToken {
  return { reveal: () => token, lifeMs, expiresAtMs: startedAtMs + lifeMs, ageMs: elapsedMs };
}
