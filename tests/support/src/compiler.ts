// The TypeScript compiler, for tests that compile code of applications.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
const program = join(dirname(manifest), 'lib', 'tsc.js');

/** It ends within seconds, so it collects garbage only above this memory. */
const memory = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

/**
 * Runs the compiler and waits for its end.
 * @param args its arguments; relative paths start at `folder`
 * @returns its output, and its exit if it did not succeed; empty on success
 */
export function compile(args: readonly string[], folder: string): string {
  // Tap's hooks for every process would only slow it down.
  const { NODE_OPTIONS, ...env } = process.env;
  // Each of several checkers would read all types.
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [program, '--checkers', '1', ...args],
    { cwd: folder, env: { ...env, ...memory }, encoding: 'utf8' },
  );
  const said = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim();
  return status === 0 ? said : said || `the compiler ended with ${status}`;
}
