// Runs test files, several at once, each in a process of its own, and reports each as it ends.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { root } from './prepare.js';
import { readTap, showFile, showSlowest } from './tap-report.js';
import { findTests, rememberSeconds, slowestFirst } from './test-order.js';

/** Globs of all compiled test files, from the project's root. */
export const allTests = ['{shared,host,client,deploy,services/*}/dist/test/**/*.test.js'];

const timeoutSeconds = 300;
const killAfterMs = 5_000;
const slowestShown = 20;

/**
 * Runs test files and prints a line for each, then the slowest of them.
 *
 * A file waits for its servers and browsers half of its time, so that there are more files at once than processors.
 * @param {readonly string[]} patterns paths or globs, from the project's root
 * @param {object} [options]
 * @param {string} [options.node] the program that runs them
 * @param {number} [options.jobs] how many files run at once
 * @param {Readonly<Record<string, string>>} [options.env] variables beside those of this process
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>} assertions
 */
export async function runTestFiles(patterns, options = {}) {
  const { node = process.execPath, jobs = jobsFor(availableParallelism()), env = {} } = options;
  const waiting = slowestFirst(findTests(patterns));
  const ended = [];
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const file = await runFile(node, path, env);
      showFile(file);
      ended.push(file);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  rememberSeconds(ended);
  if (ended.length > 1) showSlowest(ended, slowestShown);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of ended) for (const key of Object.keys(total)) total[key] += file[key];
  return total;
}

const jobsFor = (processors) => Math.ceil(processors * 1.5);

async function runFile(node, path, env) {
  const startMs = performance.now();
  const child = spawn(node, ['--enable-source-maps', path], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'test', ...env, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const stopTimers = endLate(child);
  const closed = new Promise((resolve) => child.once('close', (...ends) => resolve(ends)));
  const counts = await readTap(child.stdout);
  const [code, signal] = await closed;
  stopTimers();
  const file = { path, seconds: (performance.now() - startMs) / 1000, said, ...counts };
  if ((code === 0 && file.passed + file.skipped > 0) || file.failed > 0) return file;
  const title = code === 0 ? 'the file asserts nothing' : `the process ended with ${signal ?? code}`;
  return { ...file, failed: 1, failures: [{ title }] };
}

/** Tap ends the file at its time limit and says where it hangs; a file that cannot even do that is killed. */
function endLate(child) {
  const end = setTimeout(() => child.kill('SIGTERM'), timeoutSeconds * 1000 + killAfterMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutSeconds * 1000 + 2 * killAfterMs);
  return () => {
    clearTimeout(end);
    clearTimeout(kill);
  };
}
