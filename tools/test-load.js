// How many test files run at once: enough to keep the processors busy, few where other programs do that already.
import { cpus, freemem } from 'node:os';

const lookMs = 1_000;
/** Above this share of idle time one more file may begin; below the other one file less. */
const idleShare = 0.12;
const busyShare = 0.02;
/** What one more process of tests and its browser need. */
const bytesOfFile = 1_500_000_000;

/**
 * @typedef {object} Bounds
 * @property {number} fewest how many run at once however busy the machine is
 * @property {number} most how many run at once at most
 */

/**
 * Returns how many files may run at once from now on.
 * @param {number} now how many may until now
 * @param {{ idle: number, freeBytes: number }} seen the share of processor time that was idle, and the memory that is free
 * @param {Bounds} bounds
 */
export function nextCount(now, { idle, freeBytes }, { fewest, most }) {
  if (idle > idleShare && freeBytes > bytesOfFile) return Math.min(now + 1, most);
  if (idle < busyShare) return Math.max(now - 1, fewest);
  return now;
}

/**
 * Looks at the machine every second, and says how many files may run at once.
 * @param {Bounds} bounds
 * @param {() => void} onMore called when one more may run
 * @returns {{ count(): number, stop(): void }}
 */
export function watchLoad(bounds, onMore) {
  let count = bounds.fewest;
  let before = times();
  const look = () => {
    const now = times();
    const idle = (now.idle - before.idle) / Math.max(1, now.all - before.all);
    before = now;
    const next = nextCount(count, { idle, freeBytes: freemem() }, bounds);
    const isMore = next > count;
    count = next;
    if (isMore) onMore();
  };
  const timer = bounds.most > bounds.fewest ? setInterval(look, lookMs) : undefined;
  return { count: () => count, stop: () => clearInterval(timer) };
}

/** Milliseconds of all processors since the machine started. */
function times() {
  const sum = { idle: 0, all: 0 };
  for (const { times } of cpus()) {
    sum.idle += times.idle;
    for (const ms of Object.values(times)) sum.all += ms;
  }
  return sum;
}
