// A process dies repeatedly, in every way, while three write to one embedded store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEATHS, type Death, dieOften } from '@tollgate/test-support/deaths.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';

const OPTIONS = { count: { type: 'string', default: '1000' } } as const;
/** Maximum time without a commit of another process. */
const BOUND_MS = 1000;

const program: Program<typeof OPTIONS> = {
  title:
    'processes that die while three write to one embedded store, 1,000 times in each way: lost commits and hangs',
  method: `Arguments: ${DEATHS.join(', ')} (default: all). Option: --count 1000 (deaths in each way)`,
  options: OPTIONS,
  operands: DEATHS,
  async run({ values, positionals: ways }, report) {
    for (const way of DEATHS) {
      if (ways.length === 0 || ways.includes(way)) await measure(way, Number(values.count), report);
    }
  },
};
export default program;

async function measure(way: Death, count: number, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-deaths-'));
  try {
    const { stuck, otherDeaths, longestPauseMs, commits, lost } = await dieOften(folder, way, count);
    report.row(`${way}, ${count} deaths`, { commits, lost, stuck, 'others ended': otherDeaths });
    report.verdict(`${way}: lost, stuck, or ended with it`, lost + stuck + otherDeaths, { atMost: 0 });
    report.verdict(`${way}: longest pause of the others`, longestPauseMs, { atMost: BOUND_MS }, 'ms');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
