// Adds workers to a search only while they make it faster.

/** Duration of a measurement, in milliseconds. */
const SAMPLE_MS = 120;
/** Required speed-up from twice the workers: browsers report more cores than a page gets. */
const LEAST_GAIN = 1.2;

/**
 * Takes a measurement.
 * @param hashes total hashes of the search
 * @param ready active workers
 */
export type WorkerRamp = (hashes: number, nowMs: number, ready: number) => void;

/**
 * @param first initial number of workers
 * @param most maximum number of workers
 * @param resize called to change the number
 */
export function createWorkerRamp(first: number, most: number, resize: (count: number) => void): WorkerRamp {
  let count = first;
  let countBefore = first;
  let rate = 0;
  let isSettled = first === most;
  let sample: { readonly hashes: number; readonly ms: number } | null = null;

  function change(next: number): void {
    countBefore = count;
    count = next;
    sample = null;
    resize(next);
  }

  return (hashes, nowMs, ready) => {
    if (isSettled || ready < count) return;
    sample ??= { hashes, ms: nowMs };
    const ms = nowMs - sample.ms;
    if (ms < SAMPLE_MS) return;
    const leastRate = rate * LEAST_GAIN;
    rate = (hashes - sample.hashes) / ms;
    const isUseful = rate >= leastRate;
    isSettled = !isUseful || count === most;
    if (!isUseful) change(countBefore);
    else if (!isSettled) change(Math.min(most, 2 * count));
  };
}
