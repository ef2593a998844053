// A service as a process of a drill: its output goes to a file, and it ends with the drill.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Environment, ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import { nodeOptions, processVariables, programOf } from '@tollgate/tools/launcher/service-program.js';

/** A process of a service. */
export interface SpawnedService {
  readonly child: ChildProcess;
  /** Resolves when it has ended and its output is complete. */
  readonly gone: Promise<void>;
  isRunning(): boolean;
  /** Its complete stderr. */
  errors(): string;
  /** Its complete stdout. */
  log(): string;
}

interface SpawnOptions {
  readonly environment: Environment;
  /** Absolute path of the file for stdout. */
  readonly logFile: string;
  /** Program and arguments that start it, before those of Node. */
  readonly under?: readonly string[] | undefined;
}

const ATTACHMENT = new URL('./attachment.js', import.meta.url).href;

/** Starts a service. */
export function spawnService(
  name: ServiceName,
  { environment, logFile, under = [] }: SpawnOptions,
): SpawnedService {
  const file = openSync(logFile, 'w');
  const node = [process.execPath, ...nodeOptions, '--import', ATTACHMENT];
  const [program = '', ...args] = [...under, ...node, programOf(name)];
  const env = { ...processVariables, ...environment };
  const child = spawn(program, args, { env, stdio: ['ignore', file, 'pipe', 'ipc'] });
  closeSync(file);
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let running = true;
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      running = false;
      resolve();
    });
  });
  return {
    child,
    gone,
    isRunning: () => running,
    errors: () => errors.trim(),
    log: () => readFileSync(logFile, 'utf8'),
  };
}
