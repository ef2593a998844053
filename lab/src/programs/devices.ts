// The wait for the work at the default price, on slow devices and in unusual browsers and pages.

import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { type Condition, conditions } from '../devices/conditions.js';
import type { Solve } from '../devices/page.js';
import { slowDown } from '../devices/slow-down.js';
import type { Engine, Tab } from '../engines/engine.js';
import { engines } from '../engines/engines.js';
import type { Program } from '../program.js';
import { formatNumber, type Row } from '../report/report.js';
import { servePage } from '../solver/bundled-page.js';

const SOLVES = 4;
const BATCHES = 5;
const { difficulty } = resolveCaptchaOptions({}).pow;

const OPTIONS = {
  rounds: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  engine: { type: 'string', default: '' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: `the wait for the work at the default price (${difficulty} bits) on slow and unusual devices, in three engines`,
  method: `milliseconds from the call of the solver to the nonce, each in a freshly loaded page, scaled to the mean work over ${SOLVES} solves; slower: the processes of the page are stopped in turns of 5 ms, with their workers. --rounds N (1) repeats all in turn, --engine NAME and --only TEXT restrict it`,
  options: OPTIONS,
  async run({ values }, report, open) {
    const rounds = Number(values.rounds);
    const entry = new URL('../devices/page.js', import.meta.url);
    const addresses = new Map<string | undefined, string>();
    for (const policy of new Set(conditions.map(({ policy }) => policy))) {
      addresses.set(policy, (await open(servePage(entry, policy))).address);
    }
    const chosen = conditions.filter(({ name }) => name.includes(values.only));
    const samples = new Map<string, Batch[]>();
    for (let round = 0; round < rounds; round++) {
      for (const condition of chosen) {
        for (const engine of Object.values(engines)) {
          if (engine.missing !== undefined || !engine.name.includes(values.engine)) continue;
          if (condition.flags !== undefined && condition.flags[engine.name] === undefined) continue;
          const name = `${engine.name}, ${condition.name}`;
          const batches = await measure(engine, condition, addresses.get(condition.policy)!);
          samples.set(name, [...(samples.get(name) ?? []), ...batches]);
        }
      }
    }
    for (const { name, missing } of Object.values(engines)) {
      if (missing !== undefined) report.say(`${name} was not measured: ${missing}`);
    }
    for (const [name, batches] of samples) {
      const { path, workers } = batches.at(-1)!.state;
      const how = workers === 0 ? `${path}, main thread` : path;
      report.row(`${name} (${how})`, {
        'wait, ms': batches.map(({ waitMs }) => waitMs),
        'before the search': batches.map(({ startMs }) => startMs),
      });
    }
  },
  table: { document: 'client/README.md', markdown },
};
export default program;

/** Several solves together. */
interface Batch {
  /** Scaled to the mean work, which removes luck. */
  readonly waitMs: number;
  /** Until the search began. */
  readonly startMs: number;
  readonly state: Solve['state'];
}

async function measure(engine: Engine, condition: Condition, address: string): Promise<Batch[]> {
  const browser = await engine.launch(condition.flags?.[engine.name]);
  try {
    const tab = await (await browser.visit()).openTab();
    await tab.open(address);
    const batches: Batch[] = [];
    while (batches.length < BATCHES) {
      const solves: Solve[] = [];
      while (solves.length < SOLVES) solves.push(await solveOnce(tab, condition.times ?? 1));
      const sum = (of: (solve: Solve) => number) => solves.reduce((total, solve) => total + of(solve), 0);
      const startMs = sum((solve) => solve.startMs) / SOLVES;
      const perHashMs = sum(({ searchMs }) => searchMs) / sum(({ hashes }) => hashes);
      batches.push({ waitMs: startMs + perHashMs * 2 ** difficulty, startMs, state: solves[0]!.state });
    }
    return batches;
  } finally {
    await browser.close();
  }
}

/** In a fresh page without compiled code. It is slowed while it solves. */
async function solveOnce(tab: Tab, times: number): Promise<Solve> {
  await tab.reload();
  await tab.waitFor('globalThis.bench !== undefined');
  const atFullSpeed = slowDown(times);
  try {
    await tab.evaluate(`void bench.solve(${difficulty})`);
    await tab.waitFor('globalThis.bench.ended !== undefined');
  } finally {
    await atFullSpeed();
  }
  const ended = await tab.evaluate<{ value?: Solve; error?: string }>('globalThis.bench.ended');
  if (ended.value === undefined) throw new Error(ended.error);
  return ended.value;
}

/** A line for each condition, a column for each engine. */
function markdown(rows: readonly Row[], measuredOn: string): string {
  const names = Object.keys(engines);
  const cell = (engine: string, condition: string) => {
    const row = rows.find(({ name }) => name.startsWith(`${engine}, ${condition} (`));
    const wait = row?.figures['wait, ms'];
    if (row === undefined || wait === undefined) return 'not measured';
    const how = row.name.slice(row.name.indexOf('(') + 1, -1);
    const [middle, low, high] = [wait.median, wait.low, wait.high].map((ms) => formatNumber(Math.round(ms)));
    return `${middle} (${low} to ${high}); ${how}`;
  };
  const lines = conditions.map(
    ({ name }) => `| ${[name, ...names.map((engine) => cell(engine, name))].join(' | ')} |`,
  );
  return [
    `| | ${names.join(' | ')} |`,
    `|${'---|'.repeat(names.length + 1)}`,
    ...lines,
    '',
    `${measuredOn}.`,
  ].join('\n');
}
