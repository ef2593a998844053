// A private Redis for one test: started on a free port, stopped at the test's end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { tempDir } from './temp-dir.js';

/** A running server, without persistence: what it held is gone after `stop`. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** For looking and for preparing; what it sends is not listed by `commands`. */
  readonly client: Redis;
  stop(): Promise<void>;
  /** Starts again on the same port, empty. */
  start(): Promise<void>;
  /** The commands, name first and in lower case, that other clients sent while `during` ran; not those of scripts. */
  commands(during: () => Promise<unknown>): Promise<string[]>;
}

const PROGRAMS = ['redis-server', 'valkey-server'];
const TRIES = 20;

/** Starts a server; it accepts connections when the promise resolves. */
export async function startRedis(t: Pick<Test, 'teardown'>): Promise<RedisServer> {
  const folder = tempDir(t);
  let server: ChildProcess | undefined;
  let port = 0;
  for (let tries = 0; server === undefined; tries++) {
    if (tries === TRIES) throw new Error('no private Redis could be started');
    port = await freePort();
    server = await launch(port, folder);
  }

  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => {});

  const stop = async () => {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  };
  t.teardown(async () => {
    client.disconnect();
    await stop();
  });

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    stop,
    async start() {
      for (let tries = 0; server === undefined; tries++) {
        if (tries === TRIES) throw new Error(`Redis did not start again on port ${port}`);
        server = await launch(port, folder);
      }
      await client.ping();
    },
    async commands(during) {
      const monitor = await client.monitor();
      try {
        return await listen(client, monitor, during);
      } finally {
        monitor.disconnect();
      }
    },
  };
}

async function listen(client: Redis, monitor: Redis, during: () => Promise<unknown>): Promise<string[]> {
  const own = / addr=(\S+)/.exec(String(await client.client('INFO')))?.[1];
  const heard: string[] = [];
  // The server feeds its monitors in the order of execution, so the echo comes after all that is of interest.
  const end = `end of ${Math.random()}`;
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
      if (args[0] === end) resolve();
      else if (source !== own && source !== 'lua') heard.push([name.toLowerCase(), ...args].join(' '));
    });
  });
  await during();
  await client.echo(end);
  await ended;
  return heard;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  const closed = once(probe, 'close');
  probe.close();
  await closed;
  return address.port;
}

/** The process once it accepts connections; undefined when it ended instead, as it does when the port was taken. */
async function launch(port: number, folder: string): Promise<ChildProcess | undefined> {
  for (const program of PROGRAMS) {
    const child = spawn(
      program,
      [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'],
        ...['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0', '--loglevel', 'notice'],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const outcome = await new Promise<'missing' | 'ended' | 'ready'>((resolve) => {
      child.once('error', () => resolve('missing'));
      child.once('exit', () => resolve('ended'));
      // The lines are read to the end, or a full pipe would stop the server.
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('Ready to accept connections')) resolve('ready');
      });
    });
    if (outcome === 'ended') return undefined;
    if (outcome === 'ready') {
      const kill = () => child.kill('SIGKILL');
      process.once('exit', kill);
      child.once('exit', () => process.off('exit', kill));
      return child;
    }
  }
  throw new Error(`none of ${PROGRAMS.join(', ')} is installed`);
}
