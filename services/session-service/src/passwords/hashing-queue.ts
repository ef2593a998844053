// Lets a bounded number of hashes run and a bounded number wait.

/** As many hashes wait as may wait; the caller answers 503. */
export class HashingOverloadedError extends Error {
  override readonly name = 'HashingOverloadedError';
}

/** Runs work now or later, in the order of arrival. */
export interface HashingQueue {
  /**
   * Resolves or rejects as the work does.
   * @throws HashingOverloadedError at once, without starting the work, when the queue is full
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How many run and how many wait. */
  readonly load: { readonly running: number; readonly waiting: number };
}

/**
 * @param running how many hashes run at once, at least 1; each takes a core and 19 MiB
 * @param waiting how many may wait for one of those
 */
export function createHashingQueue(limits: { running: number; waiting: number }): HashingQueue {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running < limits.running) running += 1;
      else {
        if (waiting.length >= limits.waiting) throw new HashingOverloadedError('too many hashes are waiting');
        // Who leaves hands its place on, so that nobody who comes now can take it.
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    get load() {
      return { running, waiting: waiting.length };
    },
  };
}
