// A private PostgreSQL for one test file: created in its own folder, reached through a socket there, removed at the
// end.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import pg from 'pg';
import type { Test } from 'tap';

/** A running server. The tables survive `stop`. */
interface PostgresServer {
  /** Connection URL with user and password. */
  readonly url: string;
  readonly password: string;
  /** Runs SQL statements for set-up and inspection. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Ends all connections and the server. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Freezes every server process: connections remain open without any response until `thaw`. */
  freeze(): void;
  thaw(): void;
}

const PASSWORD = 'password-of-the-test';
const INSTALL = 'PostgreSQL is not installed: install the package postgresql';

/**
 * Starts a server; it accepts connections when the promise resolves.
 * @param language language of its messages, in gettext's form
 */
export async function startPostgres(t: Pick<Test, 'teardown'>, language?: string): Promise<PostgresServer> {
  const programs = findPrograms();
  const folder = tempDir(t);
  const owner = unprivilegedUser();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const options: SpawnOptions = {
    ...owner,
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...(language && { LANGUAGE: language }) },
  };

  writeFileSync(join(folder, 'password'), `${PASSWORD}\n`, { mode: 0o644 });
  const making = spawn(
    join(programs, 'initdb'),
    [
      ...['--pgdata', 'data', '--username', 'tester', '--pwfile', 'password', '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const complaint = making.stderr?.setEncoding('utf8').toArray();
  const [code] = await once(making, 'close');
  if (code !== 0) throw new Error(`initdb failed: ${(await complaint)?.join('')}`);

  let server: ChildProcess | undefined;
  const start = async () => {
    server ??= await launch(join(programs, 'postgres'), folder, options);
  };
  const signal = (name: NodeJS.Signals) => {
    if (server?.pid === undefined) return;
    for (const pid of [server.pid, ...childrenOf(server.pid)]) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // A child may have ended since the list was read.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  const stop = async () => {
    signal('SIGCONT');
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGINT');
    await exited;
  };
  t.teardown(stop);
  await start();

  const url = `postgres://tester:${PASSWORD}@/postgres?host=${encodeURIComponent(folder)}`;
  return {
    url,
    password: PASSWORD,
    async sql(text) {
      const client = new pg.Client(url);
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
    stop,
    start,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}

/** Starts a PgBouncer in front of the server and returns its URL. Each transaction gets one of two sessions. */
export async function startPgBouncer(
  t: Pick<Test, 'teardown'>,
  server: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = tempDir(t);
  const owner = unprivilegedUser();
  const host = decodeURIComponent(server.url.split('?host=')[1] ?? '');
  const all = {
    listen_addr: '',
    unix_socket_dir: folder,
    listen_port: '6432',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: '2',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(folder, 'users.txt'), `"tester" "${server.password}"\n`, { mode: 0o644 });
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    [`[databases]\npostgres = host=${host}\n[pgbouncer]`, ...lines, ''].join('\n'),
    { mode: 0o644 },
  );
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const child = spawn(process.env.PGBOUNCER || '/usr/sbin/pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(async () => {
    const exited = once(child, 'exit');
    if (child.kill('SIGTERM')) await exited;
  });
  await ready(child, 'process up', 'PgBouncer');
  return `postgres://tester:${server.password}@/postgres?host=${encodeURIComponent(folder)}&port=6432`;
}

/** Child processes of this process. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(join('/proc', String(pid), 'status'), 'utf8').includes(`\nPPid:\t${parent}\n`);
    } catch {
      // It has ended in the meantime.
      return false;
    }
  });
}

/** The program folder: Debian's newest version, or one from the PATH. */
function findPrograms(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) throw new Error(INSTALL);
  return found;
}

/** PostgreSQL does not run as root, and requires a user with a name. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([known]) => known === name)).find(Boolean);
  if (user === undefined) throw new Error('PostgreSQL refuses to run as root, and there is no other user');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** The process once it accepts connections. */
async function launch(program: string, folder: string, options: SpawnOptions): Promise<ChildProcess> {
  const settings = { fsync: 'off', full_page_writes: 'off', listen_addresses: '', log_min_messages: 'log' };
  const child = spawn(
    program,
    [
      ...['-D', 'data', '-k', folder],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(child, 'ready to accept connections', 'PostgreSQL');
  return child;
}

/** Waits for a line in a server's log. The server ends with this process. */
async function ready(child: ChildProcess, words: string, name: string): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} did not start: ${said.join('\n')}`)));
    if (child.stderr === null) throw new TypeError('a process without a pipe');
    // All lines are read, because a full pipe would block the server.
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes(words)) resolve();
    });
  });
  const quit = () => child.kill('SIGQUIT');
  process.once('exit', quit);
  child.once('exit', () => process.off('exit', quit));
}
