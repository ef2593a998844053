// Starts a server of `servers/` as a separate process, so that its processor time can be measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pin } from './cores.js';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly args?: readonly string[];
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Cores to run on; any by default. */
  readonly cores?: readonly number[];
}

/** Starts `servers/NAME.js`, and resolves when it has printed its port. */
export async function startServer(
  name: string,
  { args = [], environment = {}, cores }: ServerOptions = {},
): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [port] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start`))),
  ])) as [string];
  if (cores !== undefined) pin(child.pid!, cores);
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid!,
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
