// A private Redis for one test: started on a free port, stopped at the test's end.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import type { Owner } from './owner.js';
import { endProcess, launchAgain, launchOnFreePort } from './redis-process.js';
import { tempDir } from './temp-dir.js';

/** A running server. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** For inspection and preparation; its commands are not listed by `commands`. */
  readonly client: Redis;
  stop(): Promise<void>;
  /** Freezes the process until `thaw`: connections stay open without replies. */
  freeze(): void;
  thaw(): void;
  /** Restarts on the same port: empty, or with its data if persistent. */
  start(): Promise<void>;
  /** Commands of other clients while `during` ran, name first and in lower case; not those of scripts. */
  commands(during: () => Promise<unknown>): Promise<string[]>;
}

/** The server's persistence; `always` writes each command to disk before its reply. */
export const PERSISTENCE = {
  none: ['--save', '', '--appendonly', 'no'],
  always: ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
} as const;

/**
 * Starts a server; resolves when it accepts connections.
 * @param persistence with `none`, its data is lost after `stop`
 * @param settings further server arguments, such as `--requirepass`
 */
export async function startRedis(
  t: Owner,
  persistence: keyof typeof PERSISTENCE = 'none',
  settings: readonly string[] = [],
): Promise<RedisServer> {
  const args = [
    '--dir',
    tempDir(t),
    '--repl-diskless-sync-delay',
    '0',
    ...PERSISTENCE[persistence],
    ...settings,
  ];
  const first = await launchOnFreePort(() => args);
  const { port } = first;
  let server: ChildProcess | undefined = first.child;

  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => {});

  const stop = async () => {
    const running = server;
    server = undefined;
    if (running !== undefined) await endProcess(running);
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
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async start() {
      server ??= await launchAgain(port, args);
      await client.ping();
    },
    async commands(during) {
      const monitor = connect(port, '127.0.0.1');
      try {
        return await listen(client, monitor, during);
      } finally {
        monitor.destroy();
      }
    },
  };
}

// A line of MONITOR: `+1700000000.123456 [0 127.0.0.1:50000] "set" "key" "a \"quoted\" value"`.
const HEARD = /^\+\S+ \[\d+ (\S+)\] "(.*)"$/;

/** Reads MONITOR from a socket: ioredis fails when the reply `OK` and the first command arrive together. */
async function listen(client: Redis, monitor: Socket, during: () => Promise<unknown>): Promise<string[]> {
  const own = / addr=(\S+)/.exec(String(await client.client('INFO')))?.[1];
  const heard: string[] = [];
  // The server sends to its monitors in the order of execution, so the echo comes after all relevant commands.
  const end = `end of ${Math.random()}`;
  const lines = createInterface({ input: monitor });
  const started = once(lines, 'line');
  monitor.write('MONITOR\r\n');
  await started;
  const ended = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const [, source, quoted = ''] = HEARD.exec(line) ?? [];
      const [name = '', ...args] = quoted.split('" "').map((part) => part.replaceAll('\\"', '"'));
      if (args[0] === end) resolve();
      else if (source !== own && source !== 'lua') heard.push([name.toLowerCase(), ...args].join(' '));
    });
  });
  await during();
  await client.echo(end);
  await ended;
  return heard;
}
