// The solver in Chromium: hashes per second of each implementation, compared with public packages, measured in turns.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { installPeers, SOLVER_VERSIONS } from '../peers/packages.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { type BundledPage, bundlePage } from '../solver/bundled-page.js';
import type { Bench, FirstSolve } from '../solver/page.js';
import { median, percentile } from '../statistics.js';

const ROUNDS = 6;
/** Short, so that some slices are undisturbed even on a busy machine. */
const SLICE_MS = 6;
const SLICES = 80;
const FIRST_SOLVES = 15;
const OWN = ['tollgate simd', 'tollgate simdMul', 'tollgate wasm', 'tollgate js', 'tollgate jsLoop'] as const;
const PUBLIC_SHA256 = ['@cap.js/wasm', 'hash-wasm', '@noble/hashes', 'js-sha256', 'altcha-lib'] as const;
/** Uses BLAKE2b. */
const PUBLIC_OTHER = ['friendly-challenge'] as const;
const BOUNDS = { simd: 15, js: 8.5, jsOverPublic: 2.3, overPublic: 5, twoOverOne: 1.9 };

declare const bench: Bench;

const program: Program = {
  title: 'proof-of-work solver in Chromium, millions of hashes per second, compared with public packages',
  async run(_args, report, open) {
    const { folder } = await open(installPeers(SOLVER_VERSIONS));
    const names = Object.keys(SOLVER_VERSIONS);
    const folders = Object.fromEntries(names.map((name) => [name, join(folder, 'node_modules', name)]));
    const site = await open(bundlePage(new URL('../solver/page.js', import.meta.url), folders));
    const page = await site.open();
    const cores = await page.evaluate(() => bench.cores);
    const rates = await measureRates(page, cores);
    reportRates(rates, report);
    reportFirstSolves(await measureFirstSolves(site), report);
    reportBounds(rates, cores, report);
  },
};
export default program;

/** Millions of hashes per second, in each slice. */
type Rates = ReadonlyMap<string, number[]>;

const label = (name: string, workers: number) => `${name}, ${workers} worker${workers === 1 ? '' : 's'}`;

/** Runs all contenders in each round, so that disturbances of the machine affect all. */
async function measureRates(page: Page, cores: number): Promise<Rates> {
  const rates = new Map<string, number[]>();
  const measure = async (name: string, workers: number) => {
    await page.evaluate(([name, workers]) => bench.open(name, workers), [name, workers] as const);
    const slices = await page.evaluate(([ms, slices]) => bench.run(ms, slices), [SLICE_MS, SLICES] as const);
    await page.evaluate(() => bench.close());
    rates.set(label(name, workers), [...(rates.get(label(name, workers)) ?? []), ...slices]);
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of OWN) {
      for (const workers of new Set([1, 2, cores])) await measure(name, workers);
    }
    for (const name of [...PUBLIC_SHA256, ...PUBLIC_OTHER]) await measure(name, 1);
  }
  return rates;
}

/** A busy machine only slows them down, so the fastest slices are the least disturbed. */
const fastest = (samples: readonly number[]) => percentile(samples, 0.98);

function reportRates(rates: Rates, report: Report): void {
  report.say('million hashes per second in slices of some milliseconds');
  for (const [name, samples] of rates) {
    report.row(name, {
      'fastest 2 %': fastest(samples),
      median: median(samples),
      'slowest 2 %': percentile(samples, 0.02),
    });
  }
}

/** Measures in fresh pages without compiled code or started workers. */
async function measureFirstSolves(site: BundledPage): Promise<FirstSolve[]> {
  const solves: FirstSolve[] = [];
  for (let at = 0; at < FIRST_SOLVES; at++) {
    const page = await site.open();
    const head = at.toString(16).padStart(32, 'a');
    solves.push(await page.evaluate((head) => bench.firstSolve(head, 16), head));
    await page.context().close();
  }
  return solves;
}

function reportFirstSolves(solves: readonly FirstSolve[], report: Report): void {
  report.row('a worker started, its first message', { ms: solves.map(({ startMs }) => startMs) });
  report.row('a first solve at 16 bits, all in', { ms: solves.map(({ solvedMs }) => solvedMs) });
}

function reportBounds(rates: Rates, cores: number, report: Report): void {
  const of = (name: string, workers = 1) => fastest(rates.get(label(name, workers))!);
  const simd = of('tollgate simd');
  const bestPublic = Math.max(...PUBLIC_SHA256.map((name) => of(name)));
  const unit = 'million hashes/s';
  report.verdict('with SIMD, one worker', simd, { atLeast: BOUNDS.simd }, unit);
  const js = of('tollgate js');
  // Either is enough: the second does not depend on the speed of the machine.
  if (js >= BOUNDS.js) report.verdict('in JavaScript, one worker', js, { atLeast: BOUNDS.js }, unit);
  else {
    report.verdict('in JavaScript, times the best public SHA-256', js / bestPublic, {
      atLeast: BOUNDS.jsOverPublic,
    });
  }
  report.verdict('with SIMD, times the best public SHA-256', simd / bestPublic, {
    atLeast: BOUNDS.overPublic,
  });
  if (cores >= 2) {
    const twice = of('tollgate simd', 2) / simd;
    report.verdict('with SIMD, two workers, times one', twice, { atLeast: BOUNDS.twoOverOne });
  }
}
