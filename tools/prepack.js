// `prepack` of a package, in its folder: builds the content of the `npm pack` archive, from scratch if necessary, with its
// bill of materials.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, root, run } from './prepare.js';
import { writeArchiveSbom } from './provenance/archive.js';
import { removeStale } from './stale-output.js';

const folder = process.cwd();

build([join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', folder]);
// The compiler keeps output of removed sources, and the archive would include it.
removeStale();
for (const program of ['build.js', 'bundle.js']) {
  if (existsSync(join(folder, program))) build([join(folder, program)]);
}
writeArchiveSbom(folder);

function build(args) {
  if (!existsSync(args[0])) giveUp(`${args[0]} is missing: run npm ci first`);
  const { ok, output } = run(process.execPath, args);
  if (!ok) giveUp(`node ${args.join(' ')} failed:\n${output}`);
}
