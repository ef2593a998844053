// A process dies again and again, in every way, while three write to one embedded store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEATHS, type Death, dieOften } from '@tollgate/shared/test/deaths.js';
import type { Program } from '../program.js';

const COUNT = 1000;
/** The longest time that another process may go without a commit. */
const BOUND_MS = 1000;

const program: Program = {
  title:
    'processes die while three write to one embedded store, each way 1,000 times: is anything lost, does anything hang (deaths -- COUNT WAY…)',
  async run([count = String(COUNT), ...ways]) {
    const results: boolean[] = [];
    for (const way of DEATHS) {
      if (ways.length === 0 || ways.includes(way)) results.push(await report(way, Number(count)));
    }
    return results.every(Boolean);
  },
};
export default program;

async function report(way: Death, count: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-deaths-'));
  try {
    const { stuck, otherDeaths, longestPauseMs, commits, lost } = await dieOften(folder, way, count);
    console.log(
      `${way.padEnd(8)}${count} deaths: ${stuck} stuck, ${otherDeaths} of the others ended, ${lost} of ${commits} commits lost, longest pause of the others ${longestPauseMs} ms; bound ${BOUND_MS}`,
    );
    return stuck === 0 && otherDeaths === 0 && lost === 0 && longestPauseMs <= BOUND_MS;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
