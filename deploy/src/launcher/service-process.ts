// One service as a child process: started, listened to, stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Environment, ServiceName } from './local-environment.js';

export interface ServiceProcess {
  readonly name: ServiceName;
  readonly child: ChildProcess;
  /** Resolves when the process is gone and all it said has been read. */
  readonly gone: Promise<void>;
  /** Whether the process is still there. */
  isRunning(): boolean;
  /** What it has written to stderr. */
  complaint(): string;
  /** Everything it has said in this run. */
  log(): string;
  /** Asks it to stop, and ends it when it has not after `patienceMs`. */
  stop(patienceMs: number): Promise<void>;
}

export interface ServiceOptions {
  readonly environment: Environment;
  /** Absolute path of the file that takes all it says; the file of the run before is replaced. */
  readonly logFile: string;
  /** Called with each line that it says, on either stream; without it, its output goes to the file unread. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
}

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants;

const leash = new URL('./exit-with-parent.js', import.meta.url).href;

/**
 * Starts a service. It has a process group of its own, so that a Ctrl-C in the terminal reaches the launcher alone,
 * and a leash, so that it never outlives the launcher.
 */
export function startService(name: ServiceName, options: ServiceOptions): ServiceProcess {
  const entry = fileURLToPath(new URL(`../../../../services/${name}/dist/src/server.js`, import.meta.url));
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const file = openSync(options.logFile, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
  const child = spawn(process.execPath, ['--import', leash, entry], {
    env: options.environment,
    stdio: ['ignore', options.onLine === undefined ? file : 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let complaint = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    const input = child[stream];
    if (input === null) continue;
    createInterface({ input, crlfDelay: Infinity }).on('line', (line) => {
      writeSync(file, `${line}\n`);
      if (stream === 'stderr') complaint += `${line}\n`;
      options.onLine?.(line, stream);
    });
  }
  let running = true;
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      running = false;
      closeSync(file);
      resolve();
    });
  });
  return {
    name,
    child,
    gone,
    isRunning: () => running,
    complaint: () => complaint.trim(),
    log: () => readFileSync(options.logFile, 'utf8'),
    async stop(patienceMs) {
      if (!running) return;
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await gone;
      clearTimeout(impatience);
    },
  };
}
