// The embedded store alone: entries written and taken by one process, and by two at once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../program.js';
import type { PairReport } from '../servers/store-pairs.js';

const WORKER = fileURLToPath(new URL('../servers/store-pairs.js', import.meta.url));
const SECONDS = 5;
/** The least that two processes together must do, in pairs per second, and their longest wait. */
const LEAST_PAIRS = 20_000;
const LONGEST_MS = 250;

const program: Program = {
  title: 'the embedded store: pairs of a write and a take per second, by one process and by two at once',
  async run([seconds = String(SECONDS)]) {
    const alone = await measure(1, seconds);
    const together = await measure(2, seconds);
    const sum = together.reduce((total, { pairsPerSecond }) => total + pairsPerSecond, 0);
    const longestMs = Math.max(...[...alone, ...together].map(({ longestMs }) => longestMs));
    console.log(
      `two together ${Math.round(sum)} pairs/s, bound ${LEAST_PAIRS}; longest wait ${longestMs.toFixed(0)} ms, bound ${LONGEST_MS}`,
    );
    return sum >= LEAST_PAIRS && longestMs <= LONGEST_MS;
  },
};
export default program;

async function measure(processes: number, seconds: string): Promise<PairReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const workers = Array.from({ length: processes }, () => fork(WORKER, [join(folder, 'store'), seconds]));
    const ended = workers.map((worker) => once(worker, 'exit'));
    const reports = await Promise.all(
      workers.map(async (worker) => (await once(worker, 'message'))[0] as PairReport),
    );
    await Promise.all(ended);
    for (const { pairsPerSecond, cpuMicros, p50Ms, p99Ms, longestMs, blockedMs } of reports) {
      console.log(
        `${processes === 1 ? 'alone ' : 'of two'} ${Math.round(pairsPerSecond)} pairs/s, ${cpuMicros.toFixed(1)} µs of processor time each; p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(1)} ms, longest ${longestMs.toFixed(0)} ms; event loop blocked ${blockedMs.toFixed(0)} ms at most`,
      );
    }
    return reports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
