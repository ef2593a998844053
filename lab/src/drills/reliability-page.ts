// Writes drill results into the table of docs/reliability.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { drills } from './catalogue.js';
import type { Drill } from './drill.js';
import type { Mistake } from './ledger/ledger.js';
import { type DrillResult, seconds } from './verdict.js';

const PAGE = join(projectRoot, 'docs', 'reliability.md');

/** Replaces the row of a drill. @param day such as `2026-11-22` */
export function writeResult(result: DrillResult, day: string): void {
  const drill = drills.find(({ name }) => name === result.name);
  if (drill === undefined) throw new Error(`unknown drill ${result.name}`);
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(`${rowStart(drill)} |`));
  if (at < 0) throw new Error(`docs/reliability.md has no row ${rowStart(drill)}`);
  lines[at] = rowOf(drill, result, day);
  writeFileSync(PAGE, lines.join('\n'));
}

/** The first two cells of a drill's row. */
export function rowStart({ name, title, inherent }: Drill): string {
  return `| \`${name}\`${inherent === undefined ? '' : ' ‡'} | ${title}`;
}

function rowOf(drill: Drill, result: DrillResult, day: string): string {
  const { requests, failures, unknown, longestGapMs, lastFailureMs, mistakes, passed } = result;
  const total = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const allowed = `${seconds(drill.lastFailureMs)}${drill.fromFault ? ' †' : ''}`;
  const cells = [
    requests,
    total(failures),
    total(unknown),
    seconds(longestGapMs),
    lastFailureMs === null ? 'none' : seconds(lastFailureMs),
    drill.mostFailures === 0 ? 'no failure' : allowed,
    brokenPromises(mistakes),
    `${passed ? 'passed' : '**failed**'} ${day}`,
  ];
  return `${[rowStart(drill), ...cells].join(' | ')} |`;
}

/** Violated acknowledgements: `24 lost, 8 logged out`, or 0. */
function brokenPromises(mistakes: DrillResult['mistakes']): string {
  const sum = (...kinds: Mistake[]) => kinds.reduce((all, kind) => all + mistakes[kind], 0);
  const counts = {
    lost: sum('issued work lost', 'login lost', 'attempt lost', 'attempt counted twice'),
    'accepted again': sum('spent work accepted again', 'ended session accepted again'),
    'logged out': sum('logged out by accident'),
  };
  const broken = Object.entries(counts).filter(([, count]) => count > 0);
  return broken.map(([name, count]) => `${count} ${name}`).join(', ') || '0';
}
