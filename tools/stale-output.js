// Removes compiled files without a source, which the compiler keeps and the tests would run.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './prepare.js';

const packages = [
  'shared',
  'tests/support',
  'tools',
  'lab',
  ...['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  ),
];
const compiled = /\.(js|js\.map|d\.ts)$/;

/**
 * Removes files without a TypeScript source at the same path from `src`, `extensions` and `test` of every `dist`, and from
 * `tests/dist`.
 */
export function removeStale() {
  const parts = ['src', 'extensions', 'test'];
  const folders = packages.flatMap((name) => parts.map((part) => `${name}/dist/${part}`));
  for (const folder of [...folders, 'tests/dist']) {
    const output = join(root, folder);
    if (!existsSync(output)) continue;
    for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !compiled.test(entry.name)) continue;
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const source = join(root, folder.replace('/dist', ''), relative(output, path).replace(compiled, ''));
      // Generated files have only their types in the sources.
      if (!['.ts', '.tsx', '.d.ts'].some((ending) => existsSync(source + ending))) rmSync(path);
    }
  }
}
