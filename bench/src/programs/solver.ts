// The solver in Chromium: hashes per second of each implementation, compared with public packages, measured in turns.
import type { Page } from 'playwright-core';
import type { Program } from '../program.js';
import { type BundledPage, bundlePage } from '../solver/bundled-page.js';
import type { Bench, FirstSolve } from '../solver/page.js';
import { median, percentile } from '../statistics.js';

const ROUNDS = 6;
/** Short, so that some slices are undisturbed even on a busy machine. */
const SLICE_MS = 6;
const SLICES = 80;
const FIRST_SOLVES = 15;
const OWN = ['tollgate simd', 'tollgate wasm', 'tollgate js'] as const;
const PUBLIC_SHA256 = ['@cap.js/wasm', 'hash-wasm', '@noble/hashes', 'js-sha256', 'altcha-lib'] as const;
/** Uses BLAKE2b. */
const PUBLIC_OTHER = ['friendly-challenge'] as const;
const BOUNDS = { simd: 15, js: 8.5, overPublic: 3, twoOverOne: 1.9 };

declare const bench: Bench;

const program: Program = {
  title: 'the proof-of-work solver in Chromium, millions of hashes per second, compared with public packages',
  async run() {
    const site = await bundlePage(new URL('../solver/page.js', import.meta.url));
    try {
      const page = await site.open();
      const cores = await page.evaluate(() => bench.cores);
      const rates = await measureRates(page, cores);
      printRates(rates);
      printFirstSolves(await measureFirstSolves(site));
      return checkBounds(rates, cores);
    } finally {
      await site.close();
    }
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

/** A busy machine only takes speed away, so the fastest slices are the least disturbed. */
const fastest = (samples: readonly number[]) => percentile(samples, 0.98);

function printRates(rates: Rates): void {
  console.log('million hashes/s                fastest 2 %    median  slowest 2 %');
  for (const [name, samples] of rates) {
    const columns = [fastest(samples), median(samples), percentile(samples, 0.02)];
    console.log(name.padEnd(31) + columns.map((value) => value.toFixed(2).padStart(12)).join(''));
  }
}

/** Measures in fresh pages, in which nothing is compiled or started. */
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

function printFirstSolves(solves: readonly FirstSolve[]): void {
  for (const [what, samples] of [
    ['a worker started and its first answer', solves.map(({ startMs }) => startMs)],
    ['a first solve at 16 bits, everything included', solves.map(({ solvedMs }) => solvedMs)],
  ] as const) {
    const [best, middle] = [Math.min(...samples), median(samples)];
    console.log(`${what}: best ${best.toFixed(0)} ms, median ${middle.toFixed(0)} ms`);
  }
}

function checkBounds(rates: Rates, cores: number): boolean {
  const of = (name: string, workers = 1) => fastest(rates.get(label(name, workers))!);
  const simd = of('tollgate simd');
  const bestPublic = Math.max(...PUBLIC_SHA256.map((name) => of(name)));
  const checks: [string, number, number][] = [
    ['with SIMD, one worker, million hashes/s', simd, BOUNDS.simd],
    ['in JavaScript, one worker, million hashes/s', of('tollgate js'), BOUNDS.js],
    ['with SIMD, times the best public SHA-256', simd / bestPublic, BOUNDS.overPublic],
  ];
  if (cores >= 2) {
    checks.push(['two workers with SIMD, times one', of('tollgate simd', 2) / simd, BOUNDS.twoOverOne]);
  }
  for (const [what, value, bound] of checks) {
    console.log(`${value >= bound ? 'kept  ' : 'MISSED'} ${what}: ${value.toFixed(2)}, bound ${bound}`);
  }
  return checks.every(([, value, bound]) => value >= bound);
}
