// One service as a child process: starts it, records its output, stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Environment, ServiceName } from './local-environment.js';
import { openRotatedLog } from './rotated-log.js';
import { nodeOptions, processVariables, programOf } from './service-program.js';

export interface ServiceProcess {
  readonly name: ServiceName;
  readonly child: ChildProcess;
  /** Resolves when the process has ended and its output has been read. */
  readonly gone: Promise<void>;
  /** Whether the process is running. */
  isRunning(): boolean;
  /** Its complete stderr output. */
  errors(): string;
  /** Its complete output in this run. */
  log(): string;
  /** Sends SIGTERM, and SIGKILL after the timeout. */
  stop(timeoutMs: number): Promise<void>;
}

export interface ServiceOptions {
  readonly environment: Environment;
  /** Absolute path of the output file; previous runs are kept beside it. */
  readonly logFile: string;
  /** Absolute path of the service's program; by default that of this version. */
  readonly program?: string;
  /** Absolute path of Node's program, and its options; by default those of the launcher and `nodeOptions`. */
  readonly node?: { readonly path: string; readonly options: readonly string[] };
  /** Called with each line of either stream. Without it, stdout goes directly to the file, with no size limit. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
}

/** Runs in the service before its own code: stops the service when the launcher has ended for any reason. */
function exitWithParent(): void {
  process.once('disconnect', () => {
    // The log has no reader any more, and the logger would try to flush the rest forever at exit.
    process.prependOnceListener('exit', () => process.kill(process.pid, 'SIGKILL'));
    process.kill(process.pid, 'SIGTERM');
  });
  // The channel itself must not keep the service running.
  process.channel?.unref();
}

const preload = `data:text/javascript,${encodeURIComponent(`(${exitWithParent})()`)}`;

/**
 * Starts a service in its own process group, so that Ctrl-C in the terminal reaches only the launcher. It exits with the
 * launcher.
 */
export function startService(name: ServiceName, options: ServiceOptions): ServiceProcess {
  const { program = programOf(name), node = { path: process.execPath, options: nodeOptions } } = options;
  const log = openRotatedLog(options.logFile);
  const child = spawn(node.path, [...node.options, '--import', preload, program], {
    env: { ...processVariables, ...options.environment },
    stdio: ['ignore', options.onLine === undefined ? log.descriptor : 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let errors = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    const input = child[stream];
    if (input === null) continue;
    createInterface({ input, crlfDelay: Infinity }).on('line', (line) => {
      log.write(line);
      if (stream === 'stderr') errors += `${line}\n`;
      options.onLine?.(line, stream);
    });
  }
  let running = true;
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      running = false;
      log.close();
      resolve();
    });
  });
  return {
    name,
    child,
    gone,
    isRunning: () => running,
    errors: () => errors.trim(),
    log: () => log.read(),
    async stop(timeoutMs) {
      if (!running) return;
      child.kill('SIGTERM');
      const timeout = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      await gone;
      clearTimeout(timeout);
    },
  };
}
