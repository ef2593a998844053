// The command `drill`: lists the drills, or runs named ones.
import { parseArgs } from 'node:util';
import { runCommand, UsageError, usageErrorOf } from '@tollgate/shared/config';
import { drills } from './catalogue.js';
import type { Drill } from './drill.js';
import { writeResult } from './reliability-page.js';
import { reportLines } from './report.js';
import { runDrill } from './run-drill.js';
import { MissingProgramError } from './servers/server-process.js';
import { type DrillResult, seconds } from './verdict.js';

const USAGE = `usage: drill [NAME … | all] [--json] [--write] [--seed NUMBER]
Breaks a real system under load, lets it recover, and compares it with what it had acknowledged. Without a name, lists
the drills.
  --json         prints the results as one array
  --write        writes the results into the table of docs/reliability.md
  --seed NUMBER  repeats the choices of the load of an earlier run`;

interface Wanted {
  readonly chosen: readonly Drill[];
  readonly json: boolean;
  readonly write: boolean;
  readonly seed: number | undefined;
}

/** @throws UsageError if the command line is invalid */
function readArguments(args: string[]): Wanted {
  const { values, positionals } = parse(args);
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw new UsageError('--seed must be a whole number');
  const unknown = positionals.find((name) => name !== 'all' && !drills.some((drill) => drill.name === name));
  if (unknown !== undefined) throw new UsageError(`unknown drill ${unknown}`);
  const chosen = positionals.includes('all')
    ? drills
    : positionals.flatMap((name) => drills.filter((drill) => drill.name === name));
  return { chosen, json: values.json, write: values.write, seed };
}

function parse(args: string[]) {
  try {
    const options = {
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      seed: { type: 'string' },
    } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

/** Returns the exit code: 0, 1 if a bound is broken, 2 if the command line is invalid. */
async function run(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return runCommand({ name: 'drill', usage: USAGE, args }, async () => {
    const { chosen, json, write, seed } = readArguments(args);
    if (chosen.length === 0) {
      for (const { name, title } of drills) console.log(`${name.padEnd(24)}${title}`);
      return 0;
    }
    const results: DrillResult[] = [];
    let hasFailed = false;
    const interruption = new AbortController();
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());
    for (const drill of chosen) {
      if (interruption.signal.aborted) return 1;
      const outcome = await runOne(drill, environment, seed, interruption.signal);
      if (outcome === 'failed') hasFailed = true;
      else if (outcome !== 'skipped') {
        results.push(outcome);
        if (write) writeResult(outcome, new Date().toISOString().slice(0, 10));
      }
    }
    if (json) console.log(JSON.stringify(results, null, 2));
    return !hasFailed && results.every(({ passed }) => passed) ? 0 : 1;
  });
}

/** Runs a drill and reports it on stderr. It is skipped if this machine lacks a program. */
async function runOne(
  drill: Drill,
  environment: NodeJS.ProcessEnv,
  seed: number | undefined,
  signal: AbortSignal,
): Promise<DrillResult | 'failed' | 'skipped'> {
  const startMs = performance.now();
  const say = (line: string) => console.error(line);
  say(`\n${drill.name}: ${drill.title}`);
  try {
    const onStep = (step: string) => say(`  ${seconds(performance.now() - startMs).padStart(7)}  ${step}`);
    const result = await runDrill(drill, {
      environment,
      onStep,
      signal,
      ...(seed !== undefined && { seed }),
    });
    for (const line of reportLines(result)) say(`  ${line}`);
    return result;
  } catch (error) {
    const isMissing = error instanceof MissingProgramError;
    say(`  ${isMissing ? 'skipped' : 'FAILED'}: ${(error as Error).message}`);
    return isMissing ? 'skipped' : 'failed';
  }
}

process.exitCode = await run(process.argv.slice(2), process.env);
