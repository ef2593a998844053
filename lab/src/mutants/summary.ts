// The summary of the record, by area.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.js';
import { ROOMS, ROOT } from './sources.js';

const DOCUMENT = join(ROOT, 'docs/contributing.md');
const TABLE = /(?<=<!-- mutants -->\n\n)[\s\S]*?(?=\n\n<!-- \/mutants -->)/;

/** Returns a table in Markdown. */
export function summaryOf(record: readonly Mutant[]): string {
  const row = (name: string, mutants: readonly Mutant[]) => {
    const killed = mutants.filter(({ killedBy }) => killedBy !== undefined).length;
    const share = `${((100 * killed) / mutants.length).toFixed(0)} %`;
    return `| ${[name, mutants.length, killed, mutants.length - killed, share].join(' | ')} |`;
  };
  const rooms = ROOMS.map((room) => [room, record.filter((each) => each.room === room)] as const);
  const rows = rooms.filter(([, mutants]) => mutants.length > 0).map(([room, mutants]) => row(room, mutants));
  return [
    '| Room | Mutants | Killed | Survived | Share |',
    '|---|---|---|---|---|',
    ...rows,
    row('all', record),
  ].join('\n');
}

/** Replaces the table in the document. @throws Error if it has none */
export function writeSummary(table: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  if (!TABLE.test(text)) throw new Error(`${DOCUMENT} has no table of mutants`);
  writeFileSync(DOCUMENT, text.replace(TABLE, table));
}
