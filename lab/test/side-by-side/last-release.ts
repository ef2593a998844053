// The last released version: its source from the repository, compiled in a folder of the test.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot, type ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import { compiledProgramOf } from '@tollgate/tools/launcher/service-program.js';
import type { Test } from 'tap';

/** Absolute path of a service's program. */
export type ProgramOf = (service: ServiceName) => string;

const PACKAGES = ['shared', 'services/session-service', 'services/challenge-service'];

/**
 * Returns the newest tag `v…` before this commit, or the recorded commit while there is none. Undefined if this is no clone,
 * or a clone without that commit.
 */
export function lastReleaseRef(): string | undefined {
  const { commit } = JSON.parse(readFileSync(join(projectRoot, 'tools', 'last-release.json'), 'utf8'));
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  const ref = tag ?? commit;
  return git('cat-file', '-t', `${ref}^{commit}`) === 'commit' ? ref : undefined;
}

/** Checks out and compiles a version, a tag or a commit. It runs on the installed dependencies of this one. */
export function openRelease(t: Pick<Test, 'teardown'>, ref: string): ProgramOf {
  const folder = tempDir(t);
  const archive = join(folder, 'source.tar');
  execFileSync('git', ['archive', '--output', archive, ref, 'package.json', 'tsconfig.json', ...PACKAGES], {
    cwd: projectRoot,
  });
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  linkDependencies(folder);
  for (const path of PACKAGES) compile(join(folder, path), relative(path, 'tsconfig.json'));
  return (service) => compiledProgramOf(service, folder);
}

/**
 * Links each installed package, but the version's own packages to its own folders. Packages that only that version uses,
 * such as lmdb, are the lab's.
 */
function linkDependencies(folder: string): void {
  const own = join(folder, 'node_modules', '@tollgate');
  mkdirSync(own, { recursive: true });
  for (const installed of [join(projectRoot, 'node_modules'), join(projectRoot, 'lab', 'node_modules')]) {
    for (const name of readdirSync(installed)) {
      const link = join(dirname(own), name);
      if (!name.startsWith('.') && !existsSync(link)) symlinkSync(join(installed, name), link);
    }
  }
  for (const path of PACKAGES) {
    const { name } = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
    symlinkSync(join(folder, path), join(dirname(own), name));
  }
}

/** Its types were checked at its release, with the dependencies of that time. */
function compile(folder: string, base: string): void {
  const compilerOptions = {
    rootDir: '.',
    outDir: 'dist',
    noCheck: true,
    composite: false,
    declaration: false,
    sourceMap: false,
  };
  const file = join(folder, 'tsconfig.release.json');
  writeFileSync(file, JSON.stringify({ extends: base, compilerOptions, include: ['src'] }));
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', file, '--checkers', '1'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function git(...args: string[]): string | undefined {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', stdio: [...stdio] }).trim();
  } catch {
    return undefined;
  }
}
