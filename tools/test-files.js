// Runs test files concurrently, and reports each as it ends.
import { availableParallelism } from 'node:os';
import { showFile, showSlowest } from './tap-report.js';
import { findTests, rememberSeconds, slowestFirst } from './test-order.js';
import { startWorkers } from './test-workers.js';

/** Globs of compiled test files from the project's root, without the lab, which is compiled separately. */
export const productTests = [
  '{shared,packages/*,services/*}/dist/test/**/*.test.js',
  'services/*/dist/extensions/*/test/**/*.test.js',
  'tests/dist/**/*.test.js',
];

/**
 * The files that `npm test` leaves to `npm run test:rest`: failing stores, other gateways, deployment, faults found by
 * doctor, fuzzing, and browser tests other than the main flows.
 */
export const slowTests = [
  'services/session-service/dist/test/stores/fail-over.test.js',
  'shared/dist/test/store/{deaths,fail-over,full-disk,pid-namespaces}.test.js',
  'shared/dist/test/http/tokens/tokens-fuzz.test.js',
  'services/challenge-service/dist/extensions/drop-in/test/hostile.test.js',
  'packages/client/dist/test/drop-in/widgets.test.js',
  'packages/client/dist/test/element/{floating,image-size,misplaced,odd-forms}.test.js',
  'packages/client/dist/test/package/*.test.js',
  'packages/client/dist/test/session/browser-{accounts,binding,cache,dbsc,origin,secrecy,tabs}.test.js',
  'packages/client/dist/test/solver/{browser,bundler,hashwx-browser}.test.js',
  'tests/dist/{helm,monitoring}/*.test.js',
  'tests/dist/{compose,compose-sentinel,compose-system,systemd}.test.js',
  'tests/dist/demo/{demo-page-*,forms-page}.test.js',
  'tests/dist/doctor/*-faults.test.js',
  'tests/dist/gateway/{forward-auth,gate,gate-logs,gateway-*,hostile-*,planted-*,roll-out,verifying-*}.test.js',
];

/** The tests of the lab. */
export const labTests = ['lab/dist/test/**/*.test.js'];

const slowestShown = 20;
const fewestPerProcessor = 1.5;
const mostPerProcessor = 4;

/**
 * Runs test files and prints a line for each, then the slowest ones.
 *
 * Files wait for servers and browsers most of the time, so more files than processors run at once, until those are busy.
 * @param {readonly string[]} patterns paths or globs, from the project's root
 * @param {object} [options]
 * @param {string} [options.node] the Node program
 * @param {number} [options.jobs] number of concurrent files; depends on the machine by default
 * @param {Readonly<Record<string, string>>} [options.env] variables in addition to those of this process
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>} assertions
 */
export async function runTestFiles(patterns, options = {}) {
  const { node = process.execPath, env = {} } = options;
  const processors = availableParallelism();
  const jobs = options.jobs ?? Math.ceil(processors * fewestPerProcessor);
  const mostJobs = options.jobs ?? processors * mostPerProcessor;
  const ended = [];
  const onEnded = (file) => {
    showFile(file);
    ended.push(file);
  };
  await startWorkers(slowestFirst(findTests(patterns)), { node, jobs, mostJobs, env, onEnded });
  rememberSeconds(ended);
  if (ended.length > 1) showSlowest(ended, slowestShown);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of ended) for (const key of Object.keys(total)) total[key] += file[key];
  return total;
}
