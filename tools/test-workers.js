// The worker processes for test files: each runs one file after the other.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { root } from './prepare.js';
import { processorSeconds } from './processor-time.js';
import { watchLoad } from './test-load.js';

const program = join(root, 'tools', 'test-worker.js');

/**
 * Stack traces have source lines. Young objects get 16 to 64 MB instead of 1 to 16 before they are collected, which lowers
 * the share of garbage collection from 9–13 % to 6–10 %.
 */
const nodeOptions = ['--enable-source-maps', '--min-semi-space-size=16', '--max-semi-space-size=64'];

/**
 * Go programs such as Caddy collect garbage whenever their memory has doubled. They end within seconds, and a fivefold
 * limit saves a third of their processor time.
 */
const goVariables = { GOGC: '400' };

/** Timeout for the last output of an ended process. */
const outputMs = 1_000;

/**
 * Time limits: for a file, for one that hangs too hard for tap's own limit, and for its remaining processes to end. Browser
 * flows take three minutes beside other files, and twice as long beside other programs.
 */
const usualLimits = { fileMs: 600_000, frozenMs: 615_000, endMs: 10_000 };

/**
 * Runs files in workers. A file that ends its worker or leaves something in it fails; the next one gets a new worker.
 * @param {readonly string[]} paths absolute, in starting order
 * @param {object} options
 * @param {string} [options.node] the Node program
 * @param {number} options.jobs number of concurrent files on a busy machine
 * @param {number} [options.mostJobs] number of concurrent files while processors are idle; `jobs` by default
 * @param {Readonly<Record<string, string>>} [options.env] variables in addition to those of this process
 * @param {Partial<typeof usualLimits>} [options.limits]
 * @param {(file: object) => void} options.onEnded called with the path, the seconds, the processor seconds, the counts and
 *   the output of each
 */
export async function startWorkers(paths, options) {
  const { node = process.execPath, jobs, mostJobs = jobs, env = {}, onEnded } = options;
  const limits = { ...usualLimits, ...options.limits };
  const waiting = [...paths];
  const resting = [];
  const runOne = async (path) => {
    const worker = resting.pop() ?? startWorker(node, env);
    onEnded(await runFile(worker, path, limits));
    if (worker.isEnded) return;
    if (waiting.length > 0) resting.push(worker);
    else await endWorker(worker, limits);
  };
  let load;
  const allEnded = new Promise((resolve, reject) => {
    let running = 0;
    const begin = () => {
      if (running === 0 && waiting.length === 0) resolve();
      while (waiting.length > 0 && running < load.count()) {
        running += 1;
        runOne(waiting.shift()).then(() => {
          running -= 1;
          begin();
        }, reject);
      }
    };
    load = watchLoad({ fewest: jobs, most: mostJobs }, begin);
    begin();
  });
  await allEnded.finally(() => load.stop());
  await Promise.all(resting.map((worker) => endWorker(worker, limits)));
}

function startWorker(node, env) {
  const child = fork(program, {
    cwd: root,
    execPath: node,
    execArgv: nodeOptions,
    env: { ...goVariables, ...process.env, NODE_ENV: 'test', ...env, TAP: '1' },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // A process with a closed channel does not report it as closed; its output does. A program that it has started and left
  // may keep the output open.
  const outputClosed = once(child.stderr, 'close');
  const ended = once(child, 'exit').then(async (ends) => {
    await Promise.race([outputClosed, pause(outputMs, undefined, { ref: false })]);
    return [ends];
  });
  const worker = { child, said: '', busySeconds: 0, isEnded: false, closed: ended.then(([ends]) => ends) };
  worker.ready = once(child, 'message');
  worker.closed.then(() => {
    worker.isEnded = true;
  });
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text) => {
    worker.said += text;
  });
  return worker;
}

async function runFile(worker, path, limits) {
  const { child, closed, ready } = worker;
  const startMs = performance.now();
  const crashed = closed.then(([code, signal]) => ({ crash: `the process ended with ${signal ?? code}` }));
  await Promise.race([ready, crashed]);
  const kill = setTimeout(() => child.kill('SIGKILL'), limits.frozenMs);
  const answered = once(child, 'message').then(([answer]) => answer);
  if (child.connected) child.send({ path, timeoutMs: limits.fileMs });
  const { counts = nothing(), left = [], crash } = await Promise.race([answered, crashed]);
  clearTimeout(kill);
  const busySeconds = addedBusySeconds(worker);
  const fail = (title) => {
    counts.failed += 1;
    counts.failures.push({ title });
  };
  if (crash !== undefined) fail(crash);
  else if (counts.passed + counts.skipped + counts.failed === 0) fail('the file asserts nothing');
  if (left.length > 0 && !(await endWorker(worker, limits))) fail(`the file left behind: ${left.join(', ')}`);
  // All output that the worker wrote before its reply has arrived by then.
  await turn();
  await turn();
  const { said } = worker;
  worker.said = '';
  return { path, seconds: (performance.now() - startMs) / 1000, busySeconds, said, ...counts };
}

/** Processor time of a worker and its children since the last call; the first file includes the start. */
function addedBusySeconds(worker) {
  const seconds = processorSeconds(worker.child.pid);
  if (seconds === undefined) return undefined;
  const added = Math.max(0, seconds - worker.busySeconds);
  worker.busySeconds = seconds;
  return added;
}

const nothing = () => ({ passed: 0, failed: 0, skipped: 0, failures: [] });

/** Lets a worker end by itself, otherwise kills it. @returns whether it ended by itself */
async function endWorker({ child, closed }, { endMs }) {
  if (child.connected) child.disconnect();
  const kill = setTimeout(() => child.kill('SIGKILL'), endMs);
  const [, signal] = await closed;
  clearTimeout(kill);
  return signal !== 'SIGKILL';
}
