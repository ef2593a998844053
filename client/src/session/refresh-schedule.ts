// When a token is replaced, and how long a failed attempt waits (decisions 3.8).

const leadSeconds = 60;
const longestPauseSeconds = 30;

/**
 * Whole milliseconds after which a token that lives `expiresIn` seconds is to be replaced.
 * @param chance from 0 to 1: how much of the jitter is used
 */
export function refreshAfterMs(expiresIn: number, jitterSeconds: number, chance: number): number {
  const seconds =
    expiresIn <= 2 * leadSeconds ? expiresIn / 2 : expiresIn - leadSeconds - jitterSeconds * chance;
  return Math.max(0, Math.floor(seconds * 1000));
}

/** Milliseconds before a repeat: 1, 2, 4 … 30 seconds. @param repeats how many there have been */
export function pauseMs(repeats: number): number {
  return Math.min(2 ** repeats, longestPauseSeconds) * 1000;
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3); 0 when it says nothing. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - nowMs;
  return ms > 0 ? ms : 0;
}
