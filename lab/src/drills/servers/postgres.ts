// A private PostgreSQL with the users of the static directory, beside one Redis.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PASSWORD_HASH, PEOPLE } from '@tollgate/test-support/static-directory.js';
import type { Lab, Topology } from './lab.js';
import { startRedis } from './redis.js';
import { findProgram, launchServer } from './server-process.js';

/** The topology. */
export interface OnPostgres extends Topology {
  readonly postgres: PostgresServer;
}

/** A running server. */
interface PostgresServer {
  start(): Promise<void>;
  /** Closes all connections and stops the server. */
  stop(): Promise<void>;
  /** Freezes every process of the server until `thaw`. */
  freeze(): void;
  thaw(): void;
}

const SELECT = 'SELECT id, email, hash, disabled FROM users WHERE';

/** Opens the topology. */
export async function onPostgres(lab: Lab): Promise<OnPostgres> {
  const redis = await startRedis(lab);
  const folder = join(lab.folder, 'postgres');
  mkdirSync(folder);
  const owner = unprivilegedUser();
  if (owner !== undefined) {
    // Another user must have access to its own folder.
    chmodSync(lab.folder, 0o711);
    chownSync(folder, owner.uid, owner.gid);
  }
  const programs = dirname(findProgram(lab, ['initdb'], debianFolders()));
  const make = (program: string, args: readonly string[], input = '') => {
    const environment = { ...lab.environment, LC_ALL: 'C', TMPDIR: folder } as NodeJS.ProcessEnv;
    const options = { ...owner, cwd: folder, input, env: environment, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(join(programs, program), args, options);
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  make('initdb', ['-D', 'data', '-U', 'drill', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync']);
  make(
    'postgres',
    ['--single', '-D', 'data', 'postgres'],
    `CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL, hash text, disabled boolean NOT NULL)
INSERT INTO users SELECT n, 'person-' || n || '@example.com', '${PASSWORD_HASH}', false FROM generate_series(1, ${PEOPLE}) n
`,
  );
  const server = await launchServer(lab, {
    name: 'PostgreSQL',
    program: join(programs, 'postgres'),
    args: ['-D', 'data', '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    environment: { LC_ALL: 'C', TMPDIR: folder },
    cwd: folder,
    ...owner,
    ready: /ready to accept connections/,
  });
  const signal = (name: NodeJS.Signals) => {
    if (server.pid !== undefined) for (const pid of familyOf(server.pid)) process.kill(pid, name);
  };
  return {
    environment: {
      STORE_URL: `redis://127.0.0.1:${redis.port}`,
      USERS_URL: `postgres://drill@/postgres?host=${encodeURIComponent(folder)}`,
      USERS_BY_EMAIL: `${SELECT} lower(email) = $1`,
      USERS_BY_ID: `${SELECT} id = $1`,
    },
    postgres: {
      start: server.start,
      stop: () => server.stop('SIGINT'),
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
    },
  };
}

/** A process and its children. */
function familyOf(parent: number): number[] {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
  return [parent, ...children.filter((pid) => pid.trim() !== '').map(Number)];
}

/** Debian keeps the server's programs outside the PATH, by version. */
function debianFolders(): string[] {
  const versions = '/usr/lib/postgresql';
  if (!existsSync(versions)) return [];
  return readdirSync(versions)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(versions, version, 'bin'));
}

/** PostgreSQL does not run as root, and requires a user with a name. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const users = lines.map((line) => line.split(':'));
  const user = ['postgres', 'nobody'].map((name) => users.find(([known]) => known === name)).find(Boolean);
  if (user === undefined) throw new Error('PostgreSQL does not run as root, and no other user is available');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
