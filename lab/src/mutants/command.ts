// Mutants: small faults inserted into the code one at a time, and the tests that detect them.
//
//   npm run mutants -- draw     draws mutants from all sources and looks for a test that kills each
//   npm run mutants -- again    tries the recorded ones again, each first with the test that killed it: all, or --killed
//   npm run mutants -- table    writes the summary into docs/contributing.md
//
// The record is lab/mutants.jsonl. A mutant names file, function and line, and is found again after the code has moved; a
// mutant whose line is gone is reported. Modules are changed where they are compiled, Lua scripts and gateway files where
// they are, and always restored: nothing else may run in the tree meanwhile. Of the tests that run the line by V8's
// coverage, the nearest and fastest are tried first; up to eight, or forty seconds of processor time. A record made in less
// time is completed with `again --survived --write`.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand, UsageError, usageErrorOf } from '@tollgate/shared/config';
import { openTests, type Tests } from './coverage.js';
import { draw } from './draw.js';
import type { Mutant } from './mutant.js';
import { findSources, ROOT } from './sources.js';
import { summaryOf, writeSummary } from './summary.js';
import { restoreChanged, tryMutant } from './trial.js';

const USAGE = `usage: mutants draw | again | table [OPTION …]
  draw             tries mutants drawn from all sources, and adds them to the record until it has --count
  again            tries the recorded mutants on the working tree
  table            writes the summary of the record into docs/contributing.md
  --killed         again: only killed ones
  --survived       again: only surviving ones
  --write          again: writes the result into the record
  --room NAME      only of this room; may be repeated
  --count NUMBER   draw: total number, 1000 by default
  --seed NUMBER    draw: 1 by default
  --tries NUMBER   maximum number of tests for a mutant, 8 by default
  --minutes NUMBER stops after the mutant in progress at that time
  --record FILE    lab/mutants.jsonl by default`;

const OPTIONS = {
  killed: { type: 'boolean', default: false },
  survived: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  room: { type: 'string', multiple: true },
  count: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  tries: { type: 'string', default: '8' },
  minutes: { type: 'string', default: 'Infinity' },
  record: { type: 'string', default: join(ROOT, 'lab/mutants.jsonl') },
} as const;

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

/** Returns the exit code: 1 if a previously killed mutant survives, 2 if the command line is invalid. */
async function run(args: string[]): Promise<number> {
  return runCommand({ name: 'mutants', usage: USAGE, args }, async () => {
    const { values, positionals } = parse(args);
    const [action] = positionals;
    const [count, seed, tries] = (['count', 'seed', 'tries'] as const).map((name) => {
      if (/^\d+$/.test(values[name])) return Number(values[name]);
      throw new UsageError(`--${name} must be a whole number`);
    }) as [number, number, number];
    const minutes = Number(values.minutes);
    if (!(minutes > 0)) throw new UsageError('--minutes must be a number above 0');
    const record = readRecord(values.record);
    restoreChanged();
    const tests = openTests((line) => console.log(line));
    const isWanted = ({ room }: Mutant) => values.room?.includes(room) ?? true;
    const trials = openTrials(tests, tries, minutes);
    switch (action) {
      case 'draw': {
        const known = new Set(record.map(nameOf));
        const drawn = draw(trials.sources, count, seed);
        const added = drawn.filter((each) => !known.has(nameOf(each)));
        for (const mutant of added.slice(0, count - record.length).filter(isWanted)) {
          const result = await trials.tryOne(mutant);
          if (result !== undefined) appendFileSync(values.record, `${JSON.stringify(result)}\n`);
        }
        return 0;
      }
      case 'again': {
        let newSurvivors = 0;
        for (const [at, mutant] of record.entries()) {
          const { killedBy: before } = mutant;
          if (before === undefined ? values.killed : values.survived) continue;
          const result = isWanted(mutant) ? await trials.tryOne(mutant) : undefined;
          if (result === undefined) continue;
          if (before !== undefined && result.survived !== undefined) {
            newSurvivors += 1;
            console.log(`  ${before} killed it before: ${mutant.line} → ${mutant.mutant}`);
          }
          record[at] = result;
          if (values.write) writeRecord(values.record, record);
        }
        return newSurvivors > 0 ? 1 : 0;
      }
      case 'table':
        writeSummary(summaryOf(record));
        return 0;
      default:
        throw new UsageError('expected draw, again or table');
    }
  });
}

/** Tries mutants until the time is over. */
function openTrials(tests: Tests, tries: number, minutes: number) {
  const untilMs = performance.now() + minutes * 60_000;
  const sources = findSources();
  return {
    sources,
    /** @returns undefined if there is no time left, or the line is gone */
    async tryOne(mutant: Mutant): Promise<Mutant | undefined> {
      if (performance.now() > untilMs) return undefined;
      const { killedBy, seconds: _seconds, survived: _survived, ...drawn } = mutant;
      const outcome = await tryMutant(mutant, sources, tests, tries, killedBy);
      const text = outcome?.killedBy ?? (outcome ? `SURVIVED ${outcome.survived}` : 'GONE');
      console.log(`${mutant.file} ${mutant.function}: ${text}`);
      return outcome && { ...drawn, ...outcome };
    },
  };
}

function readRecord(file: string): Mutant[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Mutant);
}

function writeRecord(file: string, record: readonly Mutant[]): void {
  writeFileSync(file, record.map((mutant) => `${JSON.stringify(mutant)}\n`).join(''));
}

const nameOf = ({ file, function: name, line, nth, mutant }: Mutant): string =>
  [file, name, line, nth, mutant].join('\n');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    restoreChanged();
    process.exit(1);
  });
}
process.exitCode = await run(process.argv.slice(2));
