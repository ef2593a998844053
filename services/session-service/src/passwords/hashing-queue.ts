// Bounds how many password hashes run at once and how many wait.

import fastq from 'fastq';

/** The queue is full; the caller answers 503. */
export class HashingOverloadedError extends Error {
  override readonly name = 'HashingOverloadedError';
}

/** Hashes that may wait, for each that runs. */
const WAITING_PER_HASH = 32;

/** How many hashes run at once and how many wait on a machine with so many processors: one is left for everything else. */
export function hashingLimits(processors: number): { running: number; waiting: number } {
  const running = Math.max(1, processors - 1);
  return { running, waiting: running * WAITING_PER_HASH };
}

/** Runs work now or later, in order of arrival. */
export interface HashingQueue {
  /**
   * Resolves or rejects as the work does.
   * @throws HashingOverloadedError immediately, without starting the work, when the queue is full
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How many hashes are running and how many are waiting. */
  readonly load: { readonly running: number; readonly waiting: number };
}

/**
 * Creates the queue.
 * @param limits.running hashes that run at once, at least 1; each takes a core and, with argon2id, 19 MiB
 * @param limits.waiting hashes that may wait for one of those to finish
 */
export function createHashingQueue(limits: { running: number; waiting: number }): HashingQueue {
  const queue = fastq.promise(async (work: () => Promise<unknown>) => work(), limits.running);
  return {
    async run<T>(work: () => Promise<T>) {
      const isBusy = queue.running() >= limits.running;
      if (isBusy && queue.length() >= limits.waiting) {
        throw new HashingOverloadedError('too many hashes are waiting');
      }
      return queue.push(work) as Promise<T>;
    },
    get load() {
      return { running: queue.running(), waiting: queue.length() };
    },
  };
}
