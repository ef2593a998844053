// Removes compiled files whose source is gone, which the compiler leaves behind and the tests would run.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './prepare.js';

const packages = [
  'shared',
  'client',
  'deploy',
  'host',
  ...readdirSync(join(root, 'services')).map((name) => `services/${name}`),
];
const compiled = /\.(js|js\.map|d\.ts)$/;

/** Empties every `dist` of what no longer has a TypeScript file in the same place; bundles lie beside its folders. */
export function removeStale() {
  for (const name of packages) {
    const output = join(root, name, 'dist');
    if (!existsSync(output)) continue;
    for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
      const folder = entry.parentPath ?? entry.path;
      if (folder === output || !entry.isFile() || !compiled.test(entry.name)) continue;
      const path = join(folder, entry.name);
      const source = join(root, name, relative(output, path).replace(compiled, ''));
      // What a program writes has only its types in the sources.
      if (!['.ts', '.tsx', '.d.ts'].some((ending) => existsSync(source + ending))) rmSync(path);
    }
  }
}
