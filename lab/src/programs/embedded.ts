// The embedded store alone: entries written and taken by one process, and by two at once.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import type { PairReport } from '../servers/store-pairs.js';

const WORKER = fileURLToPath(new URL('../servers/store-pairs.js', import.meta.url));
const OPTIONS = { seconds: { type: 'string', default: '5' } } as const;
/** Minimum of two processes together, in pairs per second, and their maximum wait. */
const LEAST_PAIRS = 20_000;
const LONGEST_MS = 250;

const program: Program<typeof OPTIONS> = {
  title: 'embedded store: write-and-take pairs per second, with one process and with two',
  method: 'Option: --seconds 5',
  options: OPTIONS,
  async run({ values: { seconds } }, report) {
    const alone = await measure(1, seconds, report);
    const together = await measure(2, seconds, report);
    const sum = together.reduce((total, { pairsPerSecond }) => total + pairsPerSecond, 0);
    const longestMs = Math.max(...[...alone, ...together].map(({ longestMs }) => longestMs));
    report.verdict('two processes together', sum, { atLeast: LEAST_PAIRS }, 'pairs/s');
    report.verdict('longest wait', longestMs, { atMost: LONGEST_MS }, 'ms');
  },
};
export default program;

async function measure(processes: number, seconds: string, report: Report): Promise<PairReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const workers = Array.from({ length: processes }, () => fork(WORKER, [join(folder, 'store'), seconds]));
    const ended = workers.map((worker) => once(worker, 'exit'));
    const reports = await Promise.all(
      workers.map(async (worker) => (await once(worker, 'message'))[0] as PairReport),
    );
    await Promise.all(ended);
    for (const { pairsPerSecond, cpuMicros, p50Ms, p99Ms, longestMs, blockedMs } of reports) {
      report.row(processes === 1 ? 'one process alone' : 'one of two processes', {
        'pairs/s': pairsPerSecond,
        'µs a pair': cpuMicros,
        'p50 ms': p50Ms,
        'p99 ms': p99Ms,
        'longest ms': longestMs,
        'loop blocked ms': blockedMs,
      });
    }
    return reports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
