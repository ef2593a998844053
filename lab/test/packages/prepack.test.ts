// `npm pack` in a clone with installed dependencies and no build.

import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { npm, published } from './outside-project.js';

/** The sources, with the installed dependencies as links and the workspaces linked among themselves. */
function freshClone(t: Test): string {
  const clone = tempDir(t);
  const isSource = (path: string) =>
    !/(^|[\\/])(node_modules|dist|data|\.git|\.tap)([\\/]|$)|\.tgz$/.test(relative(projectRoot, path));
  cpSync(projectRoot, clone, { recursive: true, filter: isSource });
  const workspaces = ['client', 'fastify', 'verify', 'session'].map((name) => `packages/${name}`);
  for (const folder of ['', 'tools', 'shared', ...workspaces]) linkDependencies(clone, folder);
  return clone;
}

function linkDependencies(clone: string, folder: string): void {
  const from = join(projectRoot, folder, 'node_modules');
  if (!existsSync(from)) return;
  const to = join(clone, folder, 'node_modules');
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@tollgate') symlinkSync(join(from, name), join(to, name), 'junction');
  }
  if (folder !== '') return;
  mkdirSync(join(to, '@tollgate'));
  const linked = { ...published, 'tollgate-test-support': 'tests/support' };
  for (const [name, path] of Object.entries(linked)) {
    symlinkSync(join(clone, path), join(to, name.replace(/^tollgate-/, '@tollgate/')), 'junction');
  }
}

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

const clone = freshClone(t);

t.test('npm pack in a fresh clone builds each package first', async (t) => {
  for (const folder of Object.values(published)) t.notOk(existsSync(join(clone, folder, 'dist')), folder);
  const wanted = {
    '@tollgate/fastify': ['dist/src/tollgate.js', 'dist/src/tollgate.d.ts'],
    '@tollgate/shared': ['dist/src/http/guard/guards.js', 'dist/src/http/guard/guards.d.ts', 'lua/take.lua'],
    '@tollgate/client': [
      'dist/src/element.js',
      'dist/src/element.d.ts',
      'dist/src/solver/js-kernel.js',
      'dist/src/solver/wasm-kernels.js',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/classic.js',
      'dist/tollgate.cdx.json',
      'dist/tollgate.js',
      'dist/tollgate/fr.js',
    ],
    '@tollgate/verify': ['dist/src/verify.js', 'dist/src/verify.d.ts'],
    '@tollgate/session': ['dist/src/session.js', 'dist/src/session.d.ts'],
  };
  // First the one that depends on another, whose output does not exist yet either.
  for (const folder of [
    'packages/fastify',
    'shared',
    'packages/client',
    'packages/verify',
    'packages/session',
  ]) {
    const said = JSON.parse(npm(join(clone, folder), 'pack', '--json', '--pack-destination', clone));
    const [packed] = Object.values<Packed>(said);
    const files = packed?.files.map(({ path }) => path) ?? [];
    const complete = [
      'LICENSE',
      'README.md',
      'package.json',
      'dist/sbom.cdx.json',
      ...(wanted[packed?.name as keyof typeof wanted] ?? []),
    ];
    t.ok(complete.length > 4, folder);
    t.strictSame(
      complete.filter((path) => !files.includes(path)),
      [],
      folder,
    );
    t.strictSame(
      files.filter((path) => /test/.test(path)),
      [],
      folder,
    );
  }
});
