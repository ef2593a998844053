// The access token with its age, in a closure: nothing finds it that was not handed it.

import type { Surroundings } from './environment.js';

type Clocks = Pick<Surroundings, 'nowMs' | 'steadyMs'>;

export interface HeldToken {
  /** The token itself. */
  reveal(): string;
  readonly lifeMs: number;
  /** When it ends, milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** Milliseconds since it was asked for. */
  ageMs(): number;
}

/** Measures the time from now on. */
export function startWatch(clocks: Clocks) {
  const nowMs = clocks.nowMs();
  const steadyMs = clocks.steadyMs();
  return {
    startedAtMs: nowMs,
    // One clock stands still in a machine that sleeps, the other one can be set back: the larger age is the right one.
    elapsedMs: () => Math.max(clocks.nowMs() - nowMs, clocks.steadyMs() - steadyMs),
  };
}

/** @param watch started when the token was asked for: it is no older than that */
export function holdToken(
  token: string,
  lifeMs: number,
  { startedAtMs, elapsedMs }: ReturnType<typeof startWatch>,
): HeldToken {
  return { reveal: () => token, lifeMs, expiresAtMs: startedAtMs + lifeMs, ageMs: elapsedMs };
}
