// Keeps refreshes, which go on without the directory, from waiting for one that hangs.

import { type Directory, DirectoryUnavailableError } from './directory.js';

/** A failure that takes longer than this is a directory that hangs, and is not just away; in milliseconds. */
const HANGING_MS = 1000;

/** From one question whether it answers again to the next, in milliseconds. */
const RETRY_MS = 1000;

/**
 * The same directory, except that `findById` fails at once after one that hung, until `health` resolves again. It is
 * asked once a second meanwhile.
 */
export function answeringDirectory(directory: Directory): Directory {
  let hanging: DirectoryUnavailableError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function askLater(): void {
    if (!isClosed) timer = setTimeout(() => void directory.health().then(goOn, askLater), RETRY_MS).unref();
  }
  function goOn(): void {
    hanging = undefined;
  }

  return {
    ...directory,
    async findById(id) {
      if (hanging !== undefined) throw hanging;
      const sinceMs = performance.now();
      try {
        return await directory.findById(id);
      } catch (error) {
        const isSlow = performance.now() - sinceMs >= HANGING_MS;
        if (isSlow && error instanceof DirectoryUnavailableError && hanging === undefined) {
          hanging = error;
          askLater();
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
