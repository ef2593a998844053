// Runs the test files that `npm test` hands it, one after the other, so that what they import is loaded once.
//
// Each file gets a root test of its own: `import t from 'tap'` is that of the file that runs. A file has to leave the
// process as it found it; the worker says when one has not.
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
/** When a file says where it is, as a share of the time that it may take. */
const lateShare = 0.95;
/** A browser that files share stays: its process and the pipes to it. */
const browsers = [process.env.CHROMIUM, process.env.CHROMIUM_SHELL].filter(Boolean);

let current;
let isRunning = false;
/** Whether `npm test` waits for what a file comes to. */
let isAwaited = false;
// Tap keeps its root test under this symbol, and makes none when there is one.
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
// With hooks tap follows every promise of the process, to tell which test an error belongs to that nobody catches. That takes
// a tenth of the processor time, so it gets none: here such an error belongs
// to the test that runs.
const { createHook } = asyncHooks;
const noHook = { enable: () => noHook, disable: () => noHook };
provideHooks(() => noHook);
const { default: t, Test } = await import('tap');
if (t !== standIn) throw new Error('tap has another root test than the one of this worker');

// Some plugins of tap set variables when the first test is made; the one for TypeScript, which runs nothing here, silences
// the warnings of newer versions of Node in every process.
const { NODE_OPTIONS } = process.env;
new Test({ name: 'none' });
if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
else process.env.NODE_OPTIONS = NODE_OPTIONS;
// Tap has asked for its hook with the first test, and asks only once while there is one.
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
  // `npm test` was killed: nobody needs this file any more, nor what it has started.
  if (isAwaited) endAtOnce();
});

// For what files share.
globalThis[Symbol.for('tollgate.test-worker')] = { onEnd: (end) => process.once('disconnect', end) };
process.send({ isReady: true });

function provideHooks(create) {
  asyncHooks.createHook = create;
  syncBuiltinESMExports();
}

/** Resolves with what the file's assertions came to, when it has ended. */
async function runFile(path, timeoutMs) {
  const name = relative(root, path);
  // At its limit tap describes all that is there, which may take longer than this process has. Tap's own timer starts with
  // the test: this one must be due before it, however late both are.
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
  // Its timer goes on otherwise.
  current.setTimeout(0);
  return counts;
}

function endAtOnce() {
  // After the listeners of those that end what they have started in a better way.
  process.once('exit', () => {
    for (const handle of process._getActiveHandles()) {
      if (handle instanceof ChildProcess && !handle.killed) handle.kill('SIGKILL');
    }
  });
  process.exit(1);
}

/** Says in which tests a file waits that does not end, and for what. */
function sayWhere() {
  const names = [];
  for (let running = current; running !== undefined; [running] = running.activeSubtests)
    names.push(running.name);
  const kinds = new Set(process.getActiveResourcesInfo());
  console.error(`still in ${names.join(' › ')}, with ${[...kinds].join(', ')}`);
}

/** Says what the file has changed in the process, which the next file would not expect, and undoes it. */
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

/** Waits until nothing is left that would keep this process alive. Resolves with what is left nevertheless. */
async function drained() {
  const lateMs = performance.now() + drainMs;
  for (;;) {
    const left = remaining();
    if (left.length === 0 || performance.now() > lateMs) return left;
    await sleep(lookMs);
  }
}

/** The servers, connections, processes and timers that are there; not the pipes to `npm test`. */
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
