// When the access token is refreshed, and how long a failed refresh waits before it is retried.

import type { Meaning } from './answers.js';

const leadSeconds = 60;
/** The longest delay. A service that is away comes back by itself; for the rest somebody has to do something first. */
const longestRetryDelaySeconds = { passing: 30, unknown: 300, definitive: 300 };

/**
 * Whole milliseconds after which a token that lives `expiresIn` seconds is refreshed.
 * @param chance from 0 to 1: the share of the jitter that is used
 */
export function refreshAfterMs(expiresIn: number, jitterSeconds: number, chance: number): number {
  const seconds =
    expiresIn <= 2 * leadSeconds ? expiresIn / 2 : expiresIn - leadSeconds - jitterSeconds * chance;
  return Math.max(0, Math.floor(seconds * 1000));
}

/** Milliseconds before the next retry: 1, 2, 4 … 30 or 300 seconds. @param retries retries so far */
export function retryDelayMs(retries: number, meaning: Meaning): number {
  return Math.min(2 ** retries, longestRetryDelaySeconds[meaning]) * 1000;
}
