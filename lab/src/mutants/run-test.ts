// One test file in a separate process, stopped at its first failure.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './sources.js';

const MARK = 'MUTANT_RUN';
/** Time for a test to close its browser after a failure. */
const CLOSING_MS = 500;
const FAILED = /^\s*(not ok \d(?!.*# (SKIP|TODO))|Bail out!)/m;

/** Processes to stop with the program. */
const running = new Map<ChildProcess, string>();
process.once('exit', () => {
  for (const [child, folder] of running) end(child, folder);
});

interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'hung';
  readonly seconds: number;
  /** Processor time of the test and its children. */
  readonly busySeconds: number;
}

/**
 * Runs a compiled test file, below the project's folder.
 * @param limitSeconds time after which it counts as hung
 * @param coverage folder for V8's coverage
 */
export async function runTest(file: string, limitSeconds: number, coverage?: string): Promise<TestRun> {
  const id = randomUUID();
  const folder = mkdtempSync('/dev/shm/mutant-');
  // Servers of another user, such as PostgreSQL, have folders in it.
  chmodSync(folder, 0o755);
  const startMs = performance.now();
  // The shell reports the processor time of its children.
  const command = 'node --enable-source-maps "$0"; code=$?; times >&3; exit $code';
  const child = spawn('nice', ['sh', '-c', command, join(ROOT, file)], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TAP: '1',
      TAP_BAIL: '1',
      TAP_TIMEOUT: '600',
      TMPDIR: folder,
      [MARK]: id,
      ...(coverage === undefined ? {} : { NODE_V8_COVERAGE: coverage }),
    },
  });
  running.set(child, folder);
  let hasFailed = false;
  let output = '';
  let times = '';
  const failed = new Promise<void>((resolve) => {
    child.stdout!.on('data', (data) => {
      output = (output + data).slice(-10_000);
      if (!FAILED.test(output)) return;
      hasFailed = true;
      resolve();
    });
  });
  (child.stdio[3] as NodeJS.ReadableStream).on('data', (data) => {
    times += data;
  });
  const ended = once(child, 'exit');
  const closed = once(child, 'close');
  const limit = new AbortController();
  const hung = sleep(limitSeconds * 1000, true, limit).catch(() => false);
  const isHung = await Promise.race([ended.then(() => false), failed.then(() => false), hung]);
  limit.abort();
  const seconds = (performance.now() - startMs) / 1000;
  if (child.exitCode === null) {
    signal(child, 'SIGTERM');
    await Promise.race([ended, sleep(CLOSING_MS)]);
  }
  for (const pid of markedProcesses(id)) killProcess(pid);
  end(child, folder);
  running.delete(child);
  await closed;
  if (isHung) return { outcome: 'hung', seconds, busySeconds: seconds };
  const outcome = hasFailed || child.exitCode !== 0 ? 'failed' : 'passed';
  return { outcome, seconds, busySeconds: busySeconds(times) };
}

function end(child: ChildProcess, folder: string): void {
  signal(child, 'SIGKILL');
  removeFolder(folder);
}

/** Removes a test's files, and unmounts its small disks. */
function removeFolder(folder: string): void {
  const mounted = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounted) spawnSync('umount', ['--lazy', path]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) killProcess(-pid, name);
}

function killProcess(pid: number, name: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Children of a test in separate process groups, such as browsers. */
function markedProcesses(id: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'latin1').includes(`${MARK}=${id}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Adds the times of children, which are on the second line: `0m1.50s 0m0.20s`. */
function busySeconds(times: string): number {
  const children = times.split('\n')[1] ?? '';
  let sum = 0;
  for (const [, minutes, seconds] of children.matchAll(/(\d+)m([\d.]+)s/g)) {
    sum += Number(minutes) * 60 + Number(seconds);
  }
  return sum;
}
