// One Redis server, configured as required by docs/operations/redis.md, with an operator's actions.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Lab, Topology } from './lab.js';
import { findProgram, launchServer, type ServerProcess } from './server-process.js';

/** A running server. */
export interface RedisServer extends ServerProcess {
  readonly port: number;
  /** Runs one command with `redis-cli`. @throws Error with the server's error or if it does not respond */
  command(...args: string[]): Promise<string>;
}

/** A server's persistence. */
const PERSISTENCE = {
  /** Every write is in the file before its reply, so that a process exit loses nothing. */
  log: ['--appendonly', 'yes', '--save', ''],
  /** Only the content of the last snapshot. */
  snapshots: ['--appendonly', 'no', '--save', '3600 1'],
  none: ['--appendonly', 'no', '--save', ''],
} as const;

interface RedisOptions {
  readonly persistence?: keyof typeof PERSISTENCE;
  /** Further arguments of the server. */
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const COMMAND_TIMEOUT_MS = 5_000;
const run = promisify(execFile);

/** Starts a server on a separate port. */
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

/** Runs one command on a port; with `-e`, an error of the server is one of `redis-cli`. */
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
