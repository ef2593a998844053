// One Redis server, configured as docs/operations/redis.md asks for, and what an operator can do to it.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Lab, Topology } from './lab.js';
import { findProgram, launchServer, type ServerProcess } from './server-process.js';

/** A running server. */
export interface RedisServer extends ServerProcess {
  readonly port: number;
  /** Runs one command with `redis-cli`. @throws Error with the server's error or if it does not answer */
  command(...args: string[]): Promise<string>;
}

/** How a server keeps its data. */
export const PERSISTENCE = {
  /** Every write is in the file before it is answered, so that the end of the process loses nothing. */
  log: ['--appendonly', 'yes', '--save', ''],
  /** Only what was there when the last snapshot was made. */
  snapshots: ['--appendonly', 'no', '--save', '3600 1'],
  none: ['--appendonly', 'no', '--save', ''],
} as const;

export interface RedisOptions {
  readonly persistence?: keyof typeof PERSISTENCE;
  /** Further arguments of the server. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const COMMAND_TIMEOUT_MS = 5_000;
const run = promisify(execFile);

/** Starts a server on a port of its own. */
export async function startRedis(lab: Lab, options: RedisOptions = {}): Promise<RedisServer> {
  const port = await lab.freePort();
  const folder = join(lab.folder, `redis-${port}`);
  mkdirSync(folder);
  const { persistence = 'log', args = [], environment = {} } = options;
  const server = await launchServer(lab, {
    name: `Redis on port ${port}`,
    program: findProgram(lab, ['redis-server', 'valkey-server']),
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'],
      ...['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0'],
      ...PERSISTENCE[persistence],
      ...args,
    ],
    environment,
    ready: /Ready to accept connections/,
  });
  return Object.assign(server, { port, command: (...words: string[]) => redisCommand(lab, port, words) });
}

/** Runs one command on a port; `-e` makes an error of the server one of `redis-cli`. */
export async function redisCommand(lab: Lab, port: number, words: readonly string[]): Promise<string> {
  const program = findProgram(lab, ['redis-cli', 'valkey-cli']);
  const { stdout } = await run(program, ['-e', '-p', String(port), ...words], {
    env: lab.environment as NodeJS.ProcessEnv,
    timeout: COMMAND_TIMEOUT_MS,
  });
  return stdout.trim();
}

/** A topology of one server for everything. */
export interface OnRedis extends Topology {
  readonly redis: RedisServer;
}

/** Opens the topology. */
export function onRedis(options: RedisOptions = {}): (lab: Lab) => Promise<OnRedis> {
  return async (lab) => {
    const redis = await startRedis(lab, options);
    return { redis, environment: { STORE_URL: `redis://127.0.0.1:${redis.port}` } };
  };
}
