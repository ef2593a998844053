// Measures how busy a bounded queue is, by what enters and leaves it.

import { FULL_LOAD, type QueueLoad } from '../pow/load.js';

/** The bounds of a queue. */
export interface QueueBounds {
  /** How many jobs run at the same time, at least 1. */
  readonly running: number;
  /** How many may wait, at least 1. */
  readonly waiting: number;
}

/** The measurement of one queue. */
export interface QueueMeter {
  /**
   * Runs a job of the queue and measures it.
   * @param job refuses at once if the queue is full
   * @param isRefusal whether an error of the job says that
   */
  measure<T>(job: () => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T>;
  /** Returns the load since the last call, and begins anew. */
  take(): QueueLoad;
  /** Whether a job runs now. */
  isBusy(): boolean;
}

/**
 * @param onJob called when a job begins
 * @param onRefused called when one was refused
 * @param now milliseconds that only grow
 */
export function createQueueMeter(
  { running, waiting }: QueueBounds,
  { onJob, onRefused }: { readonly onJob: () => void; readonly onRefused: () => void },
  now: () => number,
): QueueMeter {
  let unfinished = 0;
  let refused = 0;
  let sinceMs = now();
  let changedMs = sinceMs;
  /** Milliseconds of threads that had work. */
  let busyMs = 0;

  const settle = () => {
    const atMs = now();
    busyMs += (atMs - changedMs) * Math.min(unfinished, running);
    changedMs = atMs;
  };
  const change = (by: number) => {
    settle();
    unfinished += by;
  };

  return {
    async measure(job, isRefusal) {
      change(1);
      onJob();
      try {
        return await job();
      } catch (error) {
        if (isRefusal(error)) {
          refused += 1;
          onRefused();
        }
        throw error;
      } finally {
        change(-1);
      }
    },
    take() {
      settle();
      const passedMs = changedMs - sinceMs;
      const busy = passedMs > 0 ? busyMs / (passedMs * running) : 0;
      const taken = Math.min(1, Math.max(0, unfinished - running) / waiting);
      const load = refused > 0 ? FULL_LOAD : busy + taken;
      sinceMs = changedMs;
      busyMs = 0;
      refused = 0;
      return Math.min(FULL_LOAD, load);
    },
    isBusy: () => unfinished > 0,
  };
}
