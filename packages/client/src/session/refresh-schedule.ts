// Refresh time of the access token, and retry delays after a failed refresh.

import type { Meaning } from './response-meaning.js';

const leadSeconds = 60;
/** Maximum delays. An unavailable service recovers by itself; other failures need someone to act. */
const longestRetryDelaySeconds = { passing: 30, unknown: 300, definitive: 300 };

/**
 * Returns the whole milliseconds after which a token with a lifetime of `expiresIn` seconds is refreshed.
 * @param chance share of the jitter, from 0 to 1
 */
export function refreshAfterMs(expiresIn: number, jitterSeconds: number, chance: number): number {
  const seconds =
    expiresIn <= 2 * leadSeconds ? expiresIn / 2 : expiresIn - leadSeconds - jitterSeconds * chance;
  return Math.max(0, Math.floor(seconds * 1000));
}

/** Returns the milliseconds before the next retry: 1, 2, 4 … 30 or 300 seconds. @param retries retries so far */
export function retryDelayMs(retries: number, meaning: Meaning): number {
  return Math.min(2 ** retries, longestRetryDelaySeconds[meaning]) * 1000;
}
