// Decides how many workers a search runs: it adds workers only while they make the search faster.

/** How long a number of workers is measured, in milliseconds. */
const SAMPLE_MS = 120;
/** Twice the workers must try this many times the hashes: browsers report more cores than a page gets. */
const LEAST_GAIN = 1.2;

/**
 * Takes a measurement.
 * @param hashes all hashes of the search so far
 * @param ready workers that take part
 */
export type WorkerRamp = (hashes: number, nowMs: number, ready: number) => void;

/**
 * @param first the number of workers at which it begins
 * @param most the number at which it ends
 * @param resize called when another number is to run
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
