// Starts a server of `servers/` as a separate process, so that its processor time can be measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type NodeProgram, onCores } from './cores.js';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it listens. */
  readonly startMs: number;
  close(): Promise<void>;
}

interface ServerOptions {
  readonly args?: readonly string[];
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Cores to run on from the start; any by default. */
  readonly cores?: readonly number[];
  /** The program of Node and its options; those of this process by default. */
  readonly node?: NodeProgram;
}

const THIS_NODE = { path: process.execPath, options: [] };

/** Starts `servers/NAME.js`, and resolves when it has printed its port. */
export async function startServer(
  name: string,
  { args = [], environment = {}, cores, node = THIS_NODE }: ServerOptions = {},
): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
  const { path, options } = onCores(node, cores);
  const startedMs = performance.now();
  const child = spawn(path, [...options, file, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [port] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start`))),
  ])) as [string];
  const startMs = performance.now() - startedMs;
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid!,
    startMs,
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
