// Runs test files: programs of tap, of which Node's test runner starts several at once.
import { join } from 'node:path';
import { root, run } from './prepare.js';

/** How long a file may take, in seconds: the flows of a browser take three minutes beside other files. */
const limitSeconds = 600;

/**
 * Returns whether all tests passed; none failed if there is no file.
 * @param {readonly string[]} files from the project's root
 * @param {object} options
 * @param {string} [options.node] the program that runs them
 * @param {string} options.jobs how many files run at once
 * @param {Readonly<Record<string, string>>} [options.env] variables beside those of this process
 */
export function runTests(files, { node = process.execPath, jobs, env = {} }) {
  if (files.length === 0) return true;
  const args = [
    '--enable-source-maps',
    '--test',
    `--test-concurrency=${jobs}`,
    `--test-timeout=${limitSeconds * 1000}`,
    `--test-reporter=${join(root, 'tools', 'test-reporter.js')}`,
    ...files,
  ];
  const variables = { ...process.env, NODE_ENV: 'test', TAP_TIMEOUT: String(limitSeconds), ...env };
  return run(node, args, { visible: true, env: variables }).ok;
}
