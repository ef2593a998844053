// Writes entries to an embedded store and takes them again for some seconds, then reports: `store-pairs.js PATH SECONDS`.
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openEmbeddedStore } from '@tollgate/shared/store';
import { percentile } from '../statistics.js';

/** Concurrent pairs, as in a service with that many requests. */
const AT_ONCE = 50;
const LIFETIME_MS = 120_000;

/** The measurements of one process. */
export interface PairReport {
  readonly pairsPerSecond: number;
  /** Processor time of a pair, in microseconds. */
  readonly cpuMicros: number;
  /** Time of a write or a take, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The longest blocking of the event loop, in milliseconds. */
  readonly blockedMs: number;
}

const [, , path = '', seconds = '1'] = process.argv;
const store = openEmbeddedStore(path);
const value = 'x'.repeat(150);
const waits: number[] = [];

async function timed<T>(work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await work();
  waits.push(performance.now() - startMs);
  return result;
}

async function writeAndTake(untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    const key = randomBytes(12).toString('hex');
    await timed(() => store.transact((tx) => tx.put(key, value, tx.nowMs + LIFETIME_MS)));
    const taken = await timed(() =>
      store.transact((tx) => {
        const found = tx.get(key);
        tx.remove(key);
        return found;
      }),
    );
    if (taken !== value) throw new Error(`${key} was lost`);
  }
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const before = process.cpuUsage();
const startMs = performance.now();
const untilMs = startMs + Number(seconds) * 1000;
await Promise.all(Array.from({ length: AT_ONCE }, () => writeAndTake(untilMs)));
const elapsedMs = performance.now() - startMs;
const { user, system } = process.cpuUsage(before);
const pairs = waits.length / 2;
const report: PairReport = {
  pairsPerSecond: (pairs * 1000) / elapsedMs,
  cpuMicros: (user + system) / pairs,
  p50Ms: percentile(waits, 0.5),
  p99Ms: percentile(waits, 0.99),
  longestMs: waits.reduce((longest, wait) => Math.max(longest, wait), 0),
  blockedMs: delay.max / 1e6,
};
process.send?.(report);
await store.close();
process.disconnect?.();
