// The price list: the cost of each attempt for an attacker's core with native solvers, and the wait of a browser.

import { HASHWX_EXCHANGE } from '@tollgate/shared/pow';
import { compileSolvers, type NativeSolvers, type RateSample } from '../attack/native-solvers.js';
import {
  type AlgorithmName,
  ATTEMPTS,
  attackNs,
  attemptWorks,
  bestRates,
  hashwxTask,
  priceTable,
  rowName,
  waitColumn,
} from '../attack/price-list.js';
import type { Engine, Tab } from '../engines/engine.js';
import { engines } from '../engines/engines.js';
import type { Open } from '../opened.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { servePage } from '../solver/bundled-page.js';

/** Rounds of all native engines in turn, some before each browser engine. */
const NATIVE_ROUNDS = 12;
const BROWSER_ROUNDS = 2;
/** The maximum bits that browsers solve here; longer waits are computed from these. */
const MOST_BITS = 24;
const SOLVES: ReadonlyMap<number, number> = new Map([
  [16, 5],
  [18, 5],
  [20, 4],
  [22, 3],
  [MOST_BITS, 2],
]);

const OPTIONS = { native: { type: 'boolean', default: false } } as const;

const program: Program<typeof OPTIONS> = {
  title:
    'price list: attempts per second of an attacker’s core with native solvers, and the wait in three engines',
  method: `attacker: solvers in C, compiled here (CC, cc by default) and verified first; minimum processor time of all rounds, all engines of the processor in turn.
Browsers: milliseconds from the call to the solution with all workers, scaled to the mean work; effort above ${MOST_BITS} bits is computed from ${MOST_BITS}. --native omits the browsers`,
  options: OPTIONS,
  async run({ values }, report, open) {
    const solvers = await openSolvers(report, open);
    const samples: RateSample[] = [];
    const attack = () => samples.push(...(solvers?.rates(NATIVE_ROUNDS) ?? []));
    const waits: Waits = new Map();
    attack();
    if (!values.native) await measureBrowsers(waits, attack, report, open);
    attack();
    if (samples.length > 0) reportNative(samples, report);
    for (const algorithm of ['SHA-256', 'HashWX'] as const) {
      for (const work of attemptWorks()) {
        const native = algorithm === 'SHA-256' ? 'sha256' : 'hashwx';
        const ns = work.bits.reduce((sum, bits) => sum + attackNs(samples, native, bits), 0);
        report.row(rowName(work, algorithm), {
          ...(samples.length > 0 && { [ATTEMPTS]: 1e9 / ns }),
          ...waitsOf(waits, algorithm, work.bits),
        });
      }
    }
  },
  table: {
    document: 'threat-model.md',
    markdown: (rows, measuredOn) => priceTable(rows, Object.keys(engines), measuredOn),
  },
};
export default program;

async function openSolvers(report: Report, open: Open): Promise<NativeSolvers | null> {
  const compiled = compileSolvers();
  if (compiled === null) {
    report.say('the attacker was not measured: no compiler for C was found (install gcc, or set CC)');
    return null;
  }
  const solvers = await open(compiled);
  solvers.verify();
  const { sha256, hashwx } = solvers.engines;
  report.say(`verified: SHA-256 with ${sha256.join(', ')}; HashWX with ${hashwx.join(', ')}`);
  return solvers;
}

function reportNative(samples: readonly RateSample[], report: Report): void {
  const of = (algorithm: string, engine: string) =>
    samples.filter((sample) => sample.algorithm === algorithm && sample.engine === engine);
  for (const { engine } of bestRates(samples, 'sha256')) {
    report.row(`native, SHA-256 with ${engine}`, {
      'million hashes a second': of('sha256', engine).map(({ nsPerHash }) => 1000 / nsPerHash),
    });
  }
  for (const { engine } of bestRates(samples, 'hashwx')) {
    report.row(`native, HashWX with ${engine}`, {
      'thousand hashes a second': of('hashwx', engine).map(({ nsPerHash }) => 1e6 / nsPerHash),
      'function, µs': of('hashwx', engine).map(({ functionNs }) => functionNs / 1000),
    });
  }
  const least = (algorithm: 'sha256' | 'hashwx') =>
    Math.min(...bestRates(samples, algorithm).map(({ nsPerHash }) => nsPerHash));
  const exchange = least('hashwx') / least('sha256');
  report.row('exchange', { 'SHA-256 hashes for one of HashWX': exchange, 'in the code': HASHWX_EXCHANGE });
}

/** Milliseconds of each solve, by engine, algorithm and bits. */
type Waits = Map<string, Map<AlgorithmName, Map<number, number[]>>>;

async function measureBrowsers(
  waits: Waits,
  attack: () => unknown,
  report: Report,
  open: Open,
): Promise<void> {
  const page = await open(servePage(new URL('../hashwx/page.js', import.meta.url)));
  for (let round = 0; round < BROWSER_ROUNDS; round++) {
    for (const engine of Object.values(engines)) {
      if (engine.missing === undefined) await measureEngine(engine, page.address, waits);
      else if (round === 0) report.say(`${engine.name} was not measured: ${engine.missing}`);
      attack();
    }
  }
}

async function measureEngine(engine: Engine, address: string, waits: Waits): Promise<void> {
  const browser = await engine.launch();
  try {
    const tab = await (await browser.visit()).openTab();
    await tab.open(address);
    await tab.waitFor('globalThis.bench !== undefined');
    const found =
      waits.get(engine.name) ??
      new Map([
        ['SHA-256', new Map()],
        ['HashWX', new Map()],
      ]);
    waits.set(engine.name, found);
    // The first solve loads and compiles code for later ones.
    await solve(tab, 'SHA-256', 16, 1);
    await solve(tab, 'HashWX', 16, 1);
    for (const [bits, times] of SOLVES) {
      for (const [algorithm, byBits] of found) {
        byBits.set(bits, [...(byBits.get(bits) ?? []), ...(await solve(tab, algorithm, bits, times))]);
      }
    }
  } finally {
    await browser.close();
  }
}

async function solve(tab: Tab, algorithm: AlgorithmName, bits: number, times: number): Promise<number[]> {
  const waits: number[] = [];
  // One at a time, because a page that is busy for 20 s counts as hung.
  while (waits.length < times) waits.push(...(await solveOnce(tab, algorithm, bits)));
  return waits;
}

async function solveOnce(tab: Tab, algorithm: AlgorithmName, bits: number): Promise<number[]> {
  const task = algorithm === 'SHA-256' ? null : hashwxTask(bits);
  await tab.evaluate(`void bench.solve(${bits}, ${JSON.stringify(task)}, 1)`);
  await tab.waitFor('globalThis.bench.ended !== undefined');
  const ended = await tab.evaluate<{ value?: number[]; error?: string }>('globalThis.bench.ended');
  if (ended.value === undefined) throw new Error(ended.error);
  return ended.value;
}

/** The waits for several searches, one after the other, by engine. */
function waitsOf(waits: Waits, algorithm: AlgorithmName, bits: readonly number[]): Record<string, number[]> {
  const columns = [...waits].map(([engine, found]) => {
    const [first = [], ...others] = bits.map((of) => {
      const measured = found.get(algorithm)?.get(Math.min(of, MOST_BITS)) ?? [];
      return measured.map((ms) => ms * 2 ** Math.max(0, of - MOST_BITS)).sort((a, b) => a - b);
    });
    const total = first.map((ms, at) =>
      others.reduce((sum, other) => sum + other[Math.floor((at * other.length) / first.length)]!, ms),
    );
    return [waitColumn(engine), total] as const;
  });
  return Object.fromEntries(columns);
}
