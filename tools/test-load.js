// The number of concurrent test files: enough to keep processors busy, few if other programs already do.
import { cpus, freemem } from 'node:os';

const lookMs = 1_000;
/** Above this share of idle time, one more file may start; below the other, one file fewer. */
const idleShare = 0.12;
const busyShare = 0.02;
/** Memory of one more test process and its browser. */
const bytesOfFile = 1_500_000_000;

/**
 * @typedef {object} Bounds
 * @property {number} fewest minimum of concurrent files on a busy machine
 * @property {number} most maximum of concurrent files
 */

/**
 * Returns the new limit of concurrent files.
 * @param {number} now the current limit
 * @param {{ idle: number, freeBytes: number }} seen share of idle processor time, and free memory
 * @param {Bounds} bounds
 */
export function nextCount(now, { idle, freeBytes }, { fewest, most }) {
  if (idle > idleShare && freeBytes > bytesOfFile) return Math.min(now + 1, most);
  if (idle < busyShare) return Math.max(now - 1, fewest);
  return now;
}

/**
 * Checks the machine every second, and adjusts the limit of concurrent files.
 * @param {Bounds} bounds
 * @param {() => void} onMore called when another file may start
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
