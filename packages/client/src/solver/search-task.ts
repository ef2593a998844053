// What a search may be asked for: a task of SHA-256, and limits.
import type { SearchTask } from './worker-messages.js';

export interface SearchLimits {
  readonly chunkSize?: number | undefined;
  readonly maxHashes?: number | undefined;
}

/**
 * Whether a challenge of SHA-256 can have this head and difficulty.
 */
export const isTask = ({ head, difficulty }: SearchTask) =>
  /^[\x21-\x7e]{32,34}$/.test(head) && Number.isInteger(difficulty) && difficulty >= 1 && difficulty <= 32;

/** Written this way it refuses NaN too. */
export const isLimit = ({ chunkSize = 1, maxHashes = 0 }: SearchLimits) => maxHashes >= 0 && chunkSize > 0;
