// `npm run bench`: runs the named program, or lists all programs with the usage.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError, usageErrorOf } from '@tollgate/shared/config';
import { closeAfter } from './opened.js';
import { watchOthers } from './other-programs.js';
import type { Program } from './program.js';
import { verdictTable, writeTable } from './report/documents.js';
import { describeRun, reportFloors, reportMachine } from './report/machine.js';
import { describeVerdict, openReport } from './report/report.js';

const folder = new URL('./programs/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length));

async function load(name: string): Promise<Program> {
  const module = (await import(new URL(`${name}.js`, folder).href)) as { default: Program };
  return module.default;
}

/** Rounds numbers to significant digits. */
function toJson(results: object): string {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
  return `${JSON.stringify(results, round, 2)}\n`;
}

/** The arguments of a program, parsed. @throws UsageError for a wrong one, which would otherwise show after minutes or never */
function parse({ options = {}, operands = [] }: Program, args: readonly string[]) {
  const own = args.filter((argument) => argument !== '--json' && argument !== '--write');
  const parsed = parseOwn(own, options, operands.length > 0);
  for (const [name, value] of Object.entries(parsed.values)) {
    if (isNumber(options[name]?.default) && !(Number(value) > 0))
      throw new UsageError(`Option '--${name}' requires a positive number`);
  }
  const unknown = parsed.positionals.find((operand) => !operands.includes(operand));
  if (unknown !== undefined)
    throw new UsageError(`Unknown argument '${unknown}'; available: ${operands.join(', ')}`);
  return { own, ...parsed };
}

function parseOwn(args: string[], options: NonNullable<Program['options']>, allowPositionals: boolean) {
  try {
    return parseArgs({ args, options, allowPositionals });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value));
}

/** @returns whether the results are within all bounds */
async function run(name: string, args: readonly string[]): Promise<boolean> {
  const program = await load(name);
  const { title, method, table } = program;
  const { own, ...parsed } = parse(program, args);
  const isJson = args.includes('--json');
  const report = openReport((line) => (isJson ? console.error(line) : console.log(line)));
  report.say(title);
  if (method !== undefined) report.say(method);
  const startedAt = new Date().toISOString();
  const machine = reportMachine(report);
  await closeAfter((open) => reportFloors(report, open));
  const othersSince = watchOthers();
  await closeAfter((open) => program.run(parsed, report, open));
  const { rows, verdicts } = report;
  for (const verdict of verdicts) report.say(describeVerdict(verdict));
  const othersUsed = Math.round(othersSince() * 100) / 100;
  const measuredOn = describeRun(machine, startedAt, othersUsed);
  report.say(`other programs used ${othersUsed} cores meanwhile, on average`);
  const json = toJson({
    program: name,
    title,
    args: own.join(' '),
    startedAt,
    machine,
    othersUsed,
    rows,
    verdicts,
  });
  if (isJson) process.stdout.write(json);
  if (args.includes('--write') && table !== undefined) {
    writeTable(table.document, name, table.markdown(rows, measuredOn));
  } else if (args.includes('--write')) {
    writeTable('benchmarks.md', name, verdictTable(verdicts, measuredOn));
  }
  return verdicts.every(({ isKept }) => isKept);
}

const USAGE = `usage: npm run bench -- [PROGRAM [--json] [--write] [OPTION...]]
       npm run bench -- PROGRAM --help
--json prints the results to stdout and the text to stderr; --write writes them into docs. Programs:`;

const [wanted, ...args] = process.argv.slice(2);
if (wanted === undefined || wanted === '--help') {
  console.log(USAGE);
  for (const name of names) console.log(`${name.padEnd(16)}${(await load(name)).title}`);
} else if (!names.includes(wanted)) {
  console.error(`bench: unknown benchmark ${wanted}; available: ${names.join(', ')}`);
  process.exitCode = 2;
} else if (args.includes('--help')) {
  const { title, method } = await load(wanted);
  console.log(method === undefined ? title : `${title}\n${method}`);
} else {
  try {
    if (!(await run(wanted, args))) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bench: ${error.message}; see npm run bench -- ${wanted} --help`);
    process.exitCode = 2;
  }
}
