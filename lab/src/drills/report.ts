// Prints a drill's result for people.
import { MISTAKES } from './ledger/ledger.js';
import { type DrillResult, seconds } from './verdict.js';

/** The lines of a result: the numbers, and broken bounds. */
export function reportLines(result: DrillResult): string[] {
  const { requests, failures, mistakes, unknown, looked } = result;
  const kinds = Object.entries(failures);
  const failed = kinds.reduce((sum, [, count]) => sum + count, 0);
  const last = result.lastFailureMs === null ? 'none' : seconds(result.lastFailureMs);
  const made = MISTAKES.map((mistake) => `${mistakes[mistake]} ${mistake}`).join(', ');
  return [
    `requests       ${requests}, ${failed} failed`,
    ...kinds.map(([kind, count]) => `               ${String(count).padStart(5)}  ${kind}`),
    `longest gap    ${seconds(result.longestGapMs)}`,
    `last failure   ${last} after the fault`,
    `ledger         ${made}`,
    `looked at      ${listed(looked)}`,
    `unknown        ${listed(unknown) || 'nothing'}`,
    ...result.broken.map((line) => `BROKEN         ${line}`),
    result.passed ? 'passed' : 'FAILED',
  ];
}

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
