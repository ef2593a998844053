// The package as other projects install it: packed, and unpacked beside the dependencies of the examples.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile as runCompiler } from '@tollgate/test-support/compiler.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Test } from 'tap';

export const projectRoot = fileURLToPath(new URL('../../../../../', import.meta.url));
const examples = join(projectRoot, 'docs', 'examples');

/** Folders with installed packages; the first one that has a package wins, as in Node. */
const beside = [
  'react',
  'react-dom',
  'vue',
  'svelte',
  'preact',
  'solid-js',
  'vite',
  '@types/react',
  '@types/react-dom',
  '@vitejs/plugin-react',
  '@vitejs/plugin-vue',
  '@sveltejs/vite-plugin-svelte',
];

/** A project that has the package installed. */
export interface Installed {
  /** The folder of the project, outside of this repository. */
  readonly folder: string;
  /** The package in its `node_modules`. */
  readonly client: string;
  /** The paths of the package's files, sorted, with slashes. */
  files(): string[];
}

/** Packs the package. @returns a function that installs it in a new project, a copy of an example or empty */
export function packClient(t: Test): (example?: string) => Installed {
  const packed = tempDir(t);
  const [{ filename }] = JSON.parse(
    npm('pack', '--workspace', 'packages/client', '--pack-destination', packed, '--json', '--ignore-scripts'),
  );
  return (example) => {
    const folder = tempDir(t);
    if (example !== undefined) cpSync(join(examples, example), folder, { recursive: true });
    const modules = join(folder, 'node_modules');
    const client = join(modules, '@tollgate', 'client');
    mkdirSync(client, { recursive: true });
    run('tar', ['-xzf', join(packed, filename), '-C', client, '--strip-components=1']);
    for (const name of beside) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(folderOf(name), join(modules, name), 'junction');
    }
    return { folder, client, files: () => filesOf(client) };
  };
}

/** Compiles a project. @returns the compiler's output, empty on success */
export function compile(project: string): string {
  return runCompiler(['-p', project], project);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

function folderOf(name: string): string {
  const folders = ['packages/client', ''].map((owner) => join(projectRoot, owner, 'node_modules', name));
  return folders.find((folder) => existsSync(folder)) ?? name;
}

function npm(...args: string[]): string {
  const script = process.env.npm_execpath;
  return script?.endsWith('npm-cli.js') ? run(process.execPath, [script, ...args]) : run('npm', args);
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: projectRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}
