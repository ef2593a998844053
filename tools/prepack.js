// `prepack` of a package, in its folder: builds what `npm pack` puts into the archive, from nothing if need be.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, root, run } from './prepare.js';
import { removeStale } from './stale-output.js';

const folder = process.cwd();

build([join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', folder]);
// The compiler leaves files whose sources are gone, and the archive would hold them.
removeStale();
for (const program of ['build.js', 'bundle.js']) {
  if (existsSync(join(folder, program))) build([join(folder, program)]);
}

function build(args) {
  if (!existsSync(args[0])) giveUp(`${args[0]} is missing: run npm ci first`);
  const { ok, output } = run(process.execPath, args);
  if (!ok) giveUp(`node ${args.join(' ')} failed:\n${output}`);
}
