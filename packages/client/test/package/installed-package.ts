// Package as installed by other projects: packed, and unpacked beside the frameworks whose types it extends.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile as runCompiler } from '@tollgate/test-support/compiler.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

const frameworks = ['react', 'vue', 'preact', 'solid-js', '@types/react'];

/** Project with the installed package. */
interface Installed {
  /** Project folder, outside of this repository. */
  readonly folder: string;
  /** The package in its `node_modules`. */
  readonly client: string;
  /** Paths of the package's files, sorted, with slashes. */
  files(): string[];
}

/** Packs the package, and installs it in a new project. */
export function installClient(t: Test): Installed {
  const packed = tempDir(t);
  const [{ filename }] = JSON.parse(
    npm('pack', '--workspace', 'packages/client', '--pack-destination', packed, '--json', '--ignore-scripts'),
  );
  const folder = tempDir(t);
  const modules = join(folder, 'node_modules');
  const client = join(modules, '@tollgate', 'client');
  mkdirSync(client, { recursive: true });
  run('tar', ['-xzf', join(packed, filename), '-C', client, '--strip-components=1']);
  for (const name of frameworks) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(folderOf(name), join(modules, name), 'junction');
  }
  return { folder, client, files: () => filesOf(client) };
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

/** The first folder with the package wins, as in Node. */
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
