// When the access token is refreshed, and how long a failed refresh waits before it is retried.

const leadSeconds = 60;
const longestRetryDelaySeconds = 30;

/**
 * Whole milliseconds after which a token that lives `expiresIn` seconds is refreshed.
 * @param chance from 0 to 1: the share of the jitter that is used
 */
export function refreshAfterMs(expiresIn: number, jitterSeconds: number, chance: number): number {
  const seconds =
    expiresIn <= 2 * leadSeconds ? expiresIn / 2 : expiresIn - leadSeconds - jitterSeconds * chance;
  return Math.max(0, Math.floor(seconds * 1000));
}

/** Milliseconds before the next retry: 1, 2, 4 … 30 seconds. @param retries retries so far */
export function retryDelayMs(retries: number): number {
  return Math.min(2 ** retries, longestRetryDelaySeconds) * 1000;
}

/** Milliseconds of a `Retry-After`, given in seconds or as a date (RFC 9110, 10.2.3); 0 without a valid one. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number {
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - nowMs;
  return ms > 0 ? ms : 0;
}
