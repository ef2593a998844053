// Writes results of programs into their documents.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFigure, type Verdict } from './report.js';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));

/**
 * Returns a program's verdicts as a table; the bounds are in the list of programs, a missed one is bold.
 * @param measuredOn the machine, the day, and whether others used it
 */
export function verdictTable(verdicts: readonly Verdict[], measuredOn: string): string {
  const rows = verdicts.map((verdict) => {
    const { name, unit, isKept } = verdict;
    const value = `${describeFigure(verdict)}${unit && ` ${unit}`}`;
    return `| ${name} | ${isKept ? value : `**${value}**`} |`;
  });
  return [measuredOn, '', '| Claim | Measured |', '|---|---|', ...new Set(rows)].join('\n');
}

/**
 * Replaces a program's table in a document, between two comments; a new one gets a section at the end.
 * @param document below docs
 */
export function writeTable(document: string, program: string, table: string): void {
  const path = join(DOCS, document);
  const [begin, end] = [`<!-- bench ${program} -->`, `<!-- end of bench ${program} -->`];
  const text = readFileSync(path, 'utf8');
  const [before = '', rest] = text.split(begin);
  if (rest === undefined) {
    writeFileSync(path, `${text}\n### ${program}\n\n${begin}\n\n${table}\n\n${end}\n`);
    return;
  }
  const [, after = ''] = rest.split(end);
  writeFileSync(path, `${before}${begin}\n\n${table}\n\n${end}${after}`);
}
