// The packages as for users: packed, and in a project outside this repository.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { compile } from '@tollgate/test-support/compiler.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

/** The folders of the published packages, by the names of their archives. */
export const published = {
  'tollgate-shared': 'shared',
  'tollgate-fastify': 'packages/fastify',
  'tollgate-client': 'packages/client',
  'tollgate-verify': 'packages/verify',
  'tollgate-session': 'packages/session',
};

/** The result of a program: its status, and its complete output. */
interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a program of Node and waits for it. */
export function runNode(args: readonly string[], cwd = projectRoot): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}`.trim() };
}

/**
 * Runs the npm that started the tests, otherwise the one on the PATH.
 * @throws Error with npm's output
 */
export function npm(cwd: string, ...args: string[]): string {
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

/**
 * Packs compiled packages without rebuilding them: concurrent tests import the same files.
 * @param folders the packages, by their folders
 * @returns the paths of the archives
 */
export function packInto(destination: string, folders: readonly string[], root = projectRoot): string[] {
  const workspaces = folders.flatMap((folder) => ['--workspace', folder]);
  npm(root, 'pack', ...workspaces, '--pack-destination', destination, '--silent', '--ignore-scripts');
  return readdirSync(destination)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(destination, name));
}

/** Installs the dependencies in a folder's `package.json`. */
export function install(folder: string): void {
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  npm(folder, 'install', ...flags);
}

/** Imports of the samples besides the packages. */
const importedBySamples = [
  '@fastify/type-provider-typebox',
  '@sinclair/typebox',
  'fastify',
  'express',
  '@types/express',
  'hono',
  '@fastify/cookie',
  '@simplewebauthn/browser',
  '@simplewebauthn/server',
  'openid-client',
  'react',
  'react-dom',
  '@types/node',
  '@types/react',
  '@types/react-dom',
];

/** The parts of a project, besides the archives. */
interface OutsideProject {
  /** The folder of docs/examples to copy; none by default. */
  readonly example?: string;
  /** The installed packages; by default those that the samples import. */
  readonly beside?: readonly string[];
}

/**
 * A project with the archives unpacked in it, and their dependencies and other packages as links to the installed ones here.
 * The contact form tests that npm itself installs the archives.
 */
export function createOutsideProject(
  t: Pick<Test, 'teardown'>,
  archives: readonly string[],
  { example, beside = importedBySamples }: OutsideProject = {},
): string {
  const folder = tempDir(t);
  if (example !== undefined)
    cpSync(join(projectRoot, 'docs', 'examples', example), folder, { recursive: true });
  else
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'outside', version: '1.0.0', private: true, type: 'module' }),
    );
  const modules = join(folder, 'node_modules');
  const needed = new Set(beside);
  for (const archive of archives) {
    const unpacked = join(modules, '@tollgate', /tollgate-([a-z]+)-[^/\\]*$/.exec(archive)?.[1] ?? '');
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(unpacked, 'package.json'), 'utf8'),
    );
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      if (!name.startsWith('@tollgate/') && !peerDependenciesMeta?.[name]?.optional) needed.add(name);
    }
  }
  for (const name of needed) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(installedFolder(name), join(modules, name), 'junction');
  }
  return folder;
}

/** The folder of an installed package; the browser package has a newer React than its tools. */
function installedFolder(name: string): string {
  const folders = ['lab', 'packages/client', ''].map((workspace) =>
    join(projectRoot, workspace, 'node_modules', name),
  );
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

/** The strictness of compiling a set of files. */
interface Strictness {
  readonly checkJs: boolean;
  /** The globals beside those of Node; by default those of browsers too. */
  readonly lib?: readonly string[];
}

/**
 * Compiles files of a project, with the types of all its dependencies.
 * @returns the compiler's output, empty on success
 */
export function compileOutside(
  folder: string,
  files: readonly string[],
  resolution: 'nodenext' | 'bundler',
  { checkJs, lib = ['es2023', 'dom', 'dom.iterable'] }: Strictness,
): string {
  const project = join(folder, `tsconfig.${resolution}.${checkJs ? 'js' : 'ts'}.json`);
  const untyped = {
    allowJs: true,
    checkJs: true,
    noImplicitAny: false,
    strictNullChecks: false,
    exactOptionalPropertyTypes: false,
  };
  writeFileSync(
    project,
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        lib,
        module: resolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: resolution,
        jsx: 'react-jsx',
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        ...(checkJs ? { ...untyped, useUnknownInCatchVariables: false } : {}),
      },
      files,
    }),
  );
  return compile(['-p', project], folder);
}
