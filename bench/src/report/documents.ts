// Keeps results of programs beside the document about them, which shows the plots of all.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const FOLDER = 'benchmarks';
const DOCUMENT = join(DOCS, 'benchmarks.md');
/** The plots are the last section of the document. */
const HEADING = '\n## Plots\n';
const INTRODUCTION = `
A dot is the median, a line the range of the rounds, the mark the bound, and the width of the plot twice the bound. "≥" and "≤" say on which side a result is kept. The results of each plot are beside it as JSON.
`;

/** Writes the results of a program into docs/benchmarks, and lists all that are there in docs/benchmarks.md. */
export function writeDocuments(program: string, json: string, plot: string): void {
  const folder = join(DOCS, FOLDER);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${program}.json`), json);
  writeFileSync(join(folder, `${program}.svg`), plot);
  const images = readdirSync(folder)
    .filter((file) => file.endsWith('.svg'))
    .sort()
    .map(
      (file) => `\n![Results of ${file.slice(0, -'.svg'.length)} beside their bounds](${FOLDER}/${file})\n`,
    );
  const [text] = readFileSync(DOCUMENT, 'utf8').split(HEADING);
  writeFileSync(DOCUMENT, text! + HEADING + INTRODUCTION + images.join(''));
}

/** Replaces the table of a program in a document, where it stands between two comments. @param document below docs */
export function writeTable(document: string, program: string, table: string): void {
  const path = join(DOCS, document);
  const [begin, end] = [`<!-- bench ${program} -->`, `<!-- end of bench ${program} -->`];
  const text = readFileSync(path, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${document} has no place for the table of ${program}`);
  writeFileSync(path, `${before}${begin}\n\n${table}\n\n${end}${after}`);
}
