// A circuit breaker for `findById`, so that refreshes do not wait for a directory that hangs.

import { type Directory, DirectoryUnavailableError } from './directory.js';

/** A failure that takes at least this long opens the circuit, in milliseconds; a faster one costs a refresh nothing. */
const HANGING_MS = 1000;

/** Time between two health checks while the circuit is open, in milliseconds. */
const RETRY_MS = 1000;

/**
 * Wraps a directory: after a `findById` that hung, `findById` fails immediately until `health` resolves again. Health
 * is checked once a second meanwhile. The other methods are unchanged, because log-ins need the directory.
 */
export function withCircuitBreaker(directory: Directory): Directory {
  let openedBy: DirectoryUnavailableError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function scheduleCheck(): void {
    if (isClosed) return;
    timer = setTimeout(() => void directory.health().then(closeCircuit, scheduleCheck), RETRY_MS).unref();
  }
  function closeCircuit(): void {
    openedBy = undefined;
  }

  return {
    ...directory,
    async findById(id) {
      if (openedBy !== undefined) throw openedBy;
      const sinceMs = performance.now();
      try {
        return await directory.findById(id);
      } catch (error) {
        const hasHung = performance.now() - sinceMs >= HANGING_MS;
        if (hasHung && error instanceof DirectoryUnavailableError && openedBy === undefined) {
          openedBy = error;
          scheduleCheck();
        }
        throw error;
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      return directory.close();
    },
  };
}
