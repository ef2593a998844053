// How long a challenge can still be sent.

/** A reading of both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The time that a challenge has. */
export interface Lifetime {
  /** Milliseconds left, on whichever clock has less; negative when it is over. */
  leftMs(): number;
}

/** Given up before its end, so that it does not expire on the way. */
const MARGIN_SECONDS = 5;

/** Short lives are not cut down to nothing. */
const MARGIN_SHARE = 0.25;

/**
 * Reads both clocks: the monotonic one stands still in some browsers while the machine sleeps, and the other one is
 * set by people.
 */
export function readClocks(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** @param from when the challenge was asked for: it cannot have been issued before */
export function startLifetime(from: Moment, expiresInSeconds: number): Lifetime {
  const marginSeconds = Math.min(MARGIN_SECONDS, expiresInSeconds * MARGIN_SHARE);
  const usableMs = (expiresInSeconds - marginSeconds) * 1000;
  return {
    leftMs() {
      const now = readClocks();
      return usableMs - Math.max(now.monotonicMs - from.monotonicMs, now.wallMs - from.wallMs);
    },
  };
}
