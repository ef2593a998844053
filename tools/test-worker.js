// Runs the test files that `npm test` assigns to it, one after the other, so that shared imports are loaded once.
//
// Each file gets its own root test: `import t from 'tap'` is that of the running file. A file must restore the process's
// state; the worker reports it otherwise.
import asyncHooks from 'node:async_hooks';
import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.js';
import { readTap } from './tap-report.js';

const drainMs = 2_000;
const lookMs = 5;
/** When a file reports where it is, as a share of its time limit. */
const lateShare = 0.95;
/** A shared browser stays: its process and its pipes. */
const browsers = [process.env.CHROMIUM, process.env.CHROMIUM_SHELL].filter(Boolean);

let current;
let isRunning = false;
/** Whether `npm test` is waiting for a file's result. */
let isAwaited = false;
// Tap stores its root test under this symbol, and creates none if there is one.
const standIn = new Proxy(
  {},
  {
    get: (_target, name) => {
      const value = current?.[name];
      return typeof value === 'function' ? value.bind(current) : value;
    },
    set: (_target, name, value) => {
      current[name] = value;
      return true;
    },
  },
);
globalThis[Symbol.for('TAP private constructor')] = standIn;
// With hooks, tap follows every promise of the process to attribute an uncaught error to a test. That takes a tenth of the
// processor time, so it gets none: here the running test gets such an error.
const { createHook } = asyncHooks;
const noHook = { enable: () => noHook, disable: () => noHook };
provideHooks(() => noHook);
const { default: t, Test } = await import('tap');
if (t !== standIn) throw new Error('tap does not use the root test of this worker');

// Some tap plugins set variables when the first test is created. The TypeScript plugin, which runs nothing here, silences
// the warnings of newer Node versions in every process.
const { NODE_OPTIONS } = process.env;
new Test({ name: 'none' });
if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
else process.env.NODE_OPTIONS = NODE_OPTIONS;
// Tap requests its hook with the first test, and only once while there is one.
provideHooks(createHook);
const environment = { ...process.env };

process.on('uncaughtException', (error) => {
  if (!isRunning) throw error;
  let running = current;
  while (running.activeSubtests.size > 0) [running] = running.activeSubtests;
  running.threw(error);
});

process.on('message', async ({ path, timeoutMs }) => {
  isAwaited = true;
  const counts = await runFile(path, timeoutMs);
  for (const title of changes()) {
    counts.failed += 1;
    counts.failures.push({ title });
  }
  const left = await drained();
  isAwaited = false;
  process.send({ counts, left });
  if (left.length > 0) process.disconnect();
});

process.on('disconnect', () => {
  // `npm test` was killed: the file and its processes are no longer needed.
  if (isAwaited) endAtOnce();
});

// For resources that files share.
globalThis[Symbol.for('tollgate.test-worker')] = { onEnd: (end) => process.once('disconnect', end) };
process.send({ isReady: true });

function provideHooks(create) {
  asyncHooks.createHook = create;
  syncBuiltinESMExports();
}

/** Resolves with a file's assertion counts when it has ended. */
async function runFile(path, timeoutMs) {
  const name = relative(root, path);
  // At its limit tap describes all active resources, which may take longer than this process has. Tap's own timer starts
  // with the test, so this one must be due first, however late both are.
  const late = setTimeout(sayWhere, timeoutMs * lateShare);
  current = new Test({
    name,
    timeout: timeoutMs,
    testdir: join(root, '.tap', 'fixtures', name.replace(/[^\w.-]+/g, '-')),
    cb: () => import(pathToFileURL(path)),
  });
  const counts = readTap(current);
  isRunning = true;
  current.runMain(() => {});
  await counts;
  clearTimeout(late);
  isRunning = false;
  // Otherwise its timer continues.
  current.setTimeout(0);
  return counts;
}

function endAtOnce() {
  // Runs after listeners that end their processes gracefully.
  process.once('exit', () => {
    for (const handle of process._getActiveHandles()) {
      if (handle instanceof ChildProcess && !handle.killed) handle.kill('SIGKILL');
    }
  });
  process.exit(1);
}

/** Reports the tests in which a hanging file waits, and for what. */
function sayWhere() {
  const names = [];
  for (let running = current; running !== undefined; [running] = running.activeSubtests)
    names.push(running.name);
  const kinds = new Set(process.getActiveResourcesInfo());
  console.error(`still in ${names.join(' › ')}, with ${[...kinds].join(', ')}`);
}

/** Reports and reverts a file's changes to the process, which the next file would not expect. */
function changes() {
  const found = [];
  const names = new Set([...Object.keys(environment), ...Object.keys(process.env)]);
  for (const name of names) {
    if (process.env[name] === environment[name]) continue;
    found.push(`the file changed the variable ${name} of its process`);
    if (environment[name] === undefined) delete process.env[name];
    else process.env[name] = environment[name];
  }
  if (process.cwd() !== root) {
    found.push(`the file changed the folder to ${process.cwd()}`);
    process.chdir(root);
  }
  if (process.exitCode) found.push(`the file set the exit code ${process.exitCode}`);
  process.exitCode = undefined;
  return found;
}

/** Waits until nothing keeps this process alive. Resolves with the remaining resources. */
async function drained() {
  const lateMs = performance.now() + drainMs;
  for (;;) {
    const left = remaining();
    if (left.length === 0 || performance.now() > lateMs) return left;
    await sleep(lookMs);
  }
}

/** Open servers, connections, processes and timers, without the pipes to `npm test`. */
function remaining() {
  const handles = process._getActiveHandles();
  const shared = new Set([process.stdout, process.stderr, process.stdin]);
  for (const handle of handles) {
    if (!browsers.includes(handle.spawnfile)) continue;
    for (const one of [handle, ...handle.stdio]) shared.add(one);
  }
  const left = handles.filter((handle) => !shared.has(handle) && handle.constructor.name !== 'Pipe');
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
  return [...left.map((handle) => handle.constructor.name), ...timers];
}
