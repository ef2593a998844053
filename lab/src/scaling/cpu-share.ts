// Gives each of several processes a share of a core: `cpu-share.js SHARE PID…`, until it is disconnected.
//
// A process over its share is stopped until it has some again. Only the main thread counts, because it saturates first, in
// Redis and in Node.
import { readFileSync } from 'node:fs';

const TICK_MS = 1;
/** A stopped process continues when it may run for this long. */
const GRAIN_MS = 1;

const [share = '1', ...pids] = process.argv.slice(2);

/** Returns the processor time of the main thread in milliseconds (first field of the file, in nanoseconds). */
function usedMs(pid: string): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

const processes = pids.map((pid) => ({ pid: Number(pid), creditMs: 0, used: usedMs(pid), isStopped: false }));
let lastMs = performance.now();

setInterval(() => {
  const nowMs = performance.now();
  const granted = (nowMs - lastMs) * Number(share);
  lastMs = nowMs;
  for (const each of processes) {
    const used = usedMs(String(each.pid));
    // An unused share is not accumulated.
    each.creditMs = Math.min(each.creditMs + granted - (used - each.used), GRAIN_MS);
    each.used = used;
    if (!each.isStopped && each.creditMs < 0) process.kill(each.pid, 'SIGSTOP');
    else if (each.isStopped && each.creditMs >= GRAIN_MS) process.kill(each.pid, 'SIGCONT');
    else continue;
    each.isStopped = !each.isStopped;
  }
}, TICK_MS);

process.once('disconnect', () => {
  for (const { pid } of processes) process.kill(pid, 'SIGCONT');
  process.exit();
});
process.send?.('ready');
