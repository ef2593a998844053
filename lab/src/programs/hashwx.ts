// HashWX: the duration of a check in Node, and the rates of browsers, to choose the nonces per function.

import { randomBytes } from 'node:crypto';
import { HASHWX_EXCHANGE, hashwxPartHashes, openHashwx, warmHashwx } from '@tollgate/shared/pow';
import type { Engine, Tab } from '../engines/engine.js';
import { engines } from '../engines/engines.js';
import { microseconds, openPassingCheck } from '../hashwx/check-times.js';
import type { Bench } from '../hashwx/page.js';
import { descendantsMemory } from '../hashwx/process-memory.js';
import type { WorkerRate } from '../hashwx/rate-worker.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { servePage } from '../solver/bundled-page.js';
import { median } from '../statistics.js';

const NONCES = [512, 4096, 16_384, 65_536] as const;
const RATE_MS = 1000;
const SOLVES = 9;
const BOUNDS = { fourPartsMicroseconds: 40 };

const OPTIONS = {
  checks: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '2' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'HashWX: a check in Node, rates and memory in three engines, and the wait for a solution',
  method:
    'rates: one worker, including programs, modules and unoptimised code, thousand hashes/s; memory: all browser processes afterwards, MB above the minimum; waits: milliseconds from the call to the solution, scaled to the mean work. --rounds N (2) repeats all in turn; --checks omits the engines',
  options: OPTIONS,
  async run({ values }, report, open) {
    measureChecks(report);
    if (values.checks) return;
    const rounds = Number(values.rounds);
    const page = await open(servePage(new URL('../hashwx/page.js', import.meta.url)));
    for (const engine of Object.values(engines)) {
      if (engine.missing === undefined) await measureEngine(engine, page.address, rounds, report);
      else report.say(`${engine.name} was not measured: ${engine.missing}`);
    }
  },
};
export default program;

function measureChecks(report: Report): void {
  const hashwx = warmHashwx();
  const seeds = Array.from({ length: 64 }, () => randomBytes(32));
  const pair = (i: number) => hashwx.hash(seeds[i % 64]!, BigInt(i));
  const four = (i: number) => {
    for (let part = 0; part < 4; part++) pair(4 * i + part);
  };
  const started = performance.now();
  openHashwx().hash(seeds[0]!, 0n);
  report.row('instance and first hash', { ms: performance.now() - started });
  report.row('programs and hash of one part', { µs: microseconds(pair) });
  const fourParts = microseconds(four);
  report.row('programs and hashes of four parts', { µs: fourParts });
  report.row('a whole check that passes', { µs: microseconds(openPassingCheck()) });
  report.verdict('four parts, warm', Math.min(...fourParts), { atMost: BOUNDS.fourPartsMicroseconds }, 'µs');
}

async function measureEngine(engine: Engine, address: string, rounds: number, report: Report): Promise<void> {
  const rates = new Map<string, { rate: number[]; memory: number[] }>();
  const waits = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const isCompiled of [true, false]) {
      for (const nonces of NONCES) {
        const name = `${engine.name}, ${isCompiled ? 'compiled' : 'interpreted'}, ${nonces} nonces`;
        const sample = await measureRate(engine, address, { nonces, isCompiled, ms: RATE_MS });
        const { rate, memory } = rates.get(name) ?? { rate: [], memory: [] };
        rates.set(name, { rate: [...rate, sample.rate], memory: [...memory, sample.memory] });
      }
    }
    for (const [name, ms] of await measureWaits(engine, address)) {
      waits.set(name, [...(waits.get(name) ?? []), ...ms]);
    }
  }
  for (const [name, { rate, memory }] of rates) report.row(name, { 'thousand/s': rate, 'MB more': memory });
  for (const [name, ms] of waits) report.row(name, { ms });
  const [base = [], ...others] = [...waits.values()];
  report.say(
    `${engine.name}: times SHA-256 at 16 bits: ${others.map((ms) => (median(ms) / median(base)).toFixed(2)).join(', ')}`,
  );
}

/** Measures in a fresh browser, whose memory nothing else has used. */
async function measureRate(engine: Engine, address: string, order: Parameters<Bench['rate']>[0]) {
  const browser = await engine.launch();
  try {
    const tab = await (await browser.visit()).openTab();
    await tab.open(address);
    await tab.waitFor('globalThis.bench !== undefined');
    const before = descendantsMemory();
    const { hashes, ms } = await ordered<WorkerRate>(tab, `bench.rate(${JSON.stringify(order)})`);
    return { rate: hashes / ms, memory: descendantsMemory() - before };
  } finally {
    await browser.close();
  }
}

async function measureWaits(engine: Engine, address: string): Promise<Map<string, number[]>> {
  const browser = await engine.launch();
  try {
    const tab = await (await browser.visit()).openTab();
    await tab.open(address);
    await tab.waitFor('globalThis.bench !== undefined');
    const waits = new Map<string, number[]>();
    const solve = async (name: string, difficulty: number, hashwx: object | null) => {
      const order = `bench.solve(${difficulty}, ${JSON.stringify(hashwx)}, ${SOLVES})`;
      waits.set(`${engine.name}, ${name}`, await ordered<number[]>(tab, order));
    };
    await solve('SHA-256 at 16 bits', 16, null);
    await solve('SHA-256 at 20 bits', 20, null);
    for (const bits of [16, 20, 21, 24]) {
      const part_hashes = hashwxPartHashes(bits, HASHWX_EXCHANGE);
      await solve(`HashWX at ${bits} bits`, bits, { part_hashes, nonces_per_function: 65_536 });
    }
    return waits;
  } finally {
    await browser.close();
  }
}

/** Runs a job of the page, and waits for its result. */
async function ordered<Value>(tab: Tab, expression: string): Promise<Value> {
  await tab.evaluate(`void ${expression}`);
  await tab.waitFor('globalThis.bench.ended !== undefined');
  const ended = await tab.evaluate<{ value?: Value; error?: string }>('globalThis.bench.ended');
  if (ended.value === undefined) throw new Error(ended.error);
  return ended.value;
}
