// Validation of SHA-256 tasks and search limits.
import type { SearchTask } from './worker-messages.js';

interface SearchLimits {
  readonly chunkSize?: number | undefined;
  readonly maxHashes?: number | undefined;
}

/**
 * Whether a SHA-256 challenge can have this head and difficulty.
 */
export const isTask = ({ head, difficulty }: SearchTask) =>
  /^[\x21-\x7e]{32,34}$/.test(head) && Number.isInteger(difficulty) && difficulty >= 1 && difficulty <= 32;

/** This form rejects NaN too. */
export const isLimit = ({ chunkSize = 1, maxHashes = 0 }: SearchLimits) => maxHashes >= 0 && chunkSize > 0;
