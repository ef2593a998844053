// The systems of the Compose files without containers: the default one's secrets, variables, permissions and table, on real
// servers; and the scripts of the Sentinel variant.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runHashPassword } from '@tollgate/session-service/cli/hash-password.js';
import { startPostgres } from '@tollgate/session-service/test/postgres.js';
import { callCommand } from '@tollgate/test-support/command.js';
import { endProcess, launchAgain, launchOnFreePort } from '@tollgate/test-support/redis-process.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until as waitUntil } from '@tollgate/test-support/until.js';
import { settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  type Environment,
  projectRoot,
  readPorts,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { Redis } from 'ioredis';
import t from 'tap';
import { readCompose } from './compose-file.js';
import { connectTo } from './e2e/client.js';
import { solve } from './solving.js';
import { startServiceHere } from './system/services-here.js';

const compose = readCompose('docker-compose.yml');
const deployFile = (name: string) => join(projectRoot, 'deploy/compose', name);
const folder = tempDir(t);
const secrets = join(folder, 'secrets');
execFileSync('sh', [deployFile('make-secrets.sh'), secrets], { stdio: 'ignore' });
const secret = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
const replaceSecret = (name: string, text: string) => {
  rmSync(join(secrets, name));
  writeFileSync(join(secrets, name), text);
};

/** Starts a Redis with its container's command, and lets the services find it at its port. */
async function startStore(name: 'session' | 'challenge') {
  const acl = join(secrets, `${name}_store_acl`);
  // A user that may read the ACL log.
  replaceSecret(`${name}_store_acl`, secret(`${name}_store_acl`));
  appendFileSync(acl, '\nuser tester on >tester ~* &* +@all\n');
  // A shell starts the rewrites, and becomes the server.
  const script = [compose.services[`${name}-store`]?.command].flat().at(-1) ?? '';
  const [, options = ''] = script.split('exec redis-server ');
  const args = options.split(' ').map((arg) => {
    if (arg === '/run/secrets/store_acl') return acl;
    if (arg === '/data') return tempDir(t);
    return arg === '""' ? '' : arg;
  });
  const launched = await launchOnFreePort(() => args);
  const { port } = launched;
  let { child } = launched;
  t.teardown(() => endProcess(child));
  const url = secret(`${name}_store_url`);
  replaceSecret(`${name}_store_url`, url.replace(`${name}-store:6379`, `127.0.0.1:${port}`));
  const tester = new Redis({ port, host: '127.0.0.1', username: 'tester', password: 'tester' });
  t.teardown(() => tester.disconnect());
  const restart = async () => {
    await endProcess(child, 'SIGTERM');
    child = await launchAgain(port, args);
  };
  return { port, tester, restart };
}

const stores = { session: await startStore('session'), challenge: await startStore('challenge') };
const postgres = await startPostgres(t);
const socket = new URL(postgres.url.replace('@/', '@local/')).searchParams.get('host') ?? '';
await postgres.sql(`CREATE ROLE postgres SUPERUSER LOGIN PASSWORD '${postgres.password}'`);
await postgres.sql('CREATE DATABASE tollgate');
const environment = { PATH: process.env.PATH, PGHOST: socket, PGPASSWORD: postgres.password };

/** Runs psql as in its container. */
function psql(...args: string[]) {
  const DIRECTORY_PASSWORD_FILE = join(secrets, 'directory_password');
  const access = ['--username', 'postgres', '--dbname', 'tollgate', '--no-psqlrc', '--quiet'];
  const env = { ...environment, DIRECTORY_PASSWORD_FILE };
  return spawnSync('psql', [...access, ...args], { env, encoding: 'utf8' });
}

const made = psql('--file', deployFile('directory.sql'));
if (made.status !== 0) throw new Error(made.stderr);
const users = `postgres://tollgate:${secret('directory_password')}@/tollgate?host=${encodeURIComponent(socket)}`;
replaceSecret('users_url', users);

// `docker compose exec -T CONTAINER COMMAND…` runs the command here.
const programs = join(folder, 'programs');
mkdirSync(programs);
writeFileSync(join(programs, 'docker'), '#!/bin/sh\nshift 4\nexec "$@"\n', { mode: 0o755 });

/** Runs save-user.sh with a password. */
function save(email: string, password: string) {
  return spawnSync('sh', [deployFile('save-user.sh'), email], {
    env: { ...environment, PATH: `${programs}:${process.env.PATH}` },
    input: `${password}\n`,
    encoding: 'utf8',
  });
}

/** A container's environment, with files and addresses of this machine. */
function environmentOf(service: ServiceName, ports: Environment): Environment {
  const given = Object.entries(compose.services[service]?.environment ?? {}).flatMap(([name, value]) => {
    if (value === null || /^\$\{/.test(String(value))) return [];
    return [[name, String(value).replace('/run/secrets', secrets).replaceAll('$$', '$')]];
  });
  return {
    ...Object.fromEntries(given),
    ...ports,
    NODE_ENV: 'production',
    PUBLIC_URL: 'http://localhost:8080',
    ADMIN_BIND: '127.0.0.1',
    DRAIN_SECONDS: '0',
  };
}

/** Starts a process of a service; returns the address of its public listener. */
async function start(service: ServiceName): Promise<string> {
  const none = [
    'GATEWAY_PORT',
    'SESSION_PORT',
    'SESSION_ADMIN_PORT',
    'CHALLENGE_PORT',
    'CHALLENGE_ADMIN_PORT',
  ];
  const ports = await settlePorts(readPorts(Object.fromEntries(none.map((name) => [name, '0']))));
  const isSession = service === 'session-service';
  const environment = environmentOf(
    service,
    isSession
      ? { SESSION_PORT: `${ports.session}`, SESSION_ADMIN_PORT: `${ports.sessionAdmin}` }
      : { CHALLENGE_PORT: `${ports.challenge}`, CHALLENGE_ADMIN_PORT: `${ports.challengeAdmin}` },
  );
  const started = startServiceHere(service, { environment, logFile: join(folder, `${service}.log`) });
  t.teardown(() => started.stop(5_000));
  const url = `http://127.0.0.1:${isSession ? ports.sessionAdmin : ports.challengeAdmin}/health/ready`;
  await waitUntilAllReady([{ service: started, url, explain: (body) => body }], {
    unreadyMs: 10_000,
    silentMs: 30_000,
  });
  return `http://127.0.0.1:${isSession ? ports.session : ports.challenge}`;
}

const challenge = connectTo(await start('challenge-service'));
const [first, second] = [
  connectTo(await start('session-service')),
  connectTo(await start('session-service')),
];
t.teardown(() => {
  for (const client of [challenge, first, second]) client.close();
});

/** Behind the gateway, the client's address comes from its header. */
const ip = '192.0.2.10';

async function logIn(client: typeof first, email: string, password: string) {
  const { json: work } = await challenge.get('/api/captcha/pow', { ip });
  return client.post('/login', {
    ip,
    body: { email, password, pow_token: work.token, pow_nonce: solve(work) },
  });
}

t.test('a saved account logs in at one container and refreshes at the other', async (t) => {
  t.match(save(' Ann@Example.com', 'correct horse battery'), { status: 0, stderr: '' });
  const answer = await logIn(first, 'ann@example.com', 'correct horse battery');
  t.match(answer, { status: 200, json: { expiresIn: 900 } });
  const cookie = answer.cookies.at(0)?.split(';')[0] ?? '';
  const refreshed = await second.post('/refresh', { ip, headers: { cookie } });
  t.equal(refreshed.status, 200);
  const headers = { authorization: `Bearer ${refreshed.json.accessToken}` };
  t.match(await first.get('/profile', { ip, headers }), {
    status: 200,
    json: { id: 1, email: 'Ann@Example.com' },
  });
});

t.test('saving an account again changes its password, in any spelling of the address', async (t) => {
  t.match(save('ANN@example.com', 'another battery'), { status: 0, stderr: '' });
  t.equal((await logIn(second, 'ann@example.com', 'correct horse battery')).status, 422);
  t.equal((await logIn(second, 'ann@example.com', 'another battery')).status, 200);
  t.match(save('ann@example.com', 'short'), { status: 1, stdout: '', stderr: /at least 8 characters/ });
  t.equal(
    psql('--tuples-only', '--no-align', '--command', 'SELECT email FROM users').stdout,
    'Ann@Example.com\n',
  );
});

t.test('a login replaces an old hash, and session-service can do nothing else to the users', async (t) => {
  // bcrypt of "another battery", with a low cost.
  const old = '$2b$04$Sw.VMFESZCV0nnJ2ktDxXOK66/CWyzpOYXyDTP.qg1rgZLw3ZeSS2';
  psql('--command', `UPDATE users SET hash = '${old}'`);
  t.equal((await logIn(first, 'ann@example.com', 'another battery')).status, 200);
  t.match(psql('--tuples-only', '--command', 'SELECT hash FROM users').stdout, /^ \$argon2id\$/);
  for (const statement of [
    "INSERT INTO users (email) VALUES ('x@y.z')",
    'DELETE FROM users',
    'UPDATE users SET disabled = true',
    'CREATE TABLE own (id integer)',
  ]) {
    t.match(psql('--command', `SET ROLE tollgate; ${statement}`), { stderr: /permission denied/ }, statement);
  }
});

t.test('hash-password takes no arguments', async (t) => {
  const result = await callCommand(() =>
    runHashPassword(['correct horse'], { input: process.stdin, prompts: process.stderr }),
  );
  t.match(result, {
    code: 2,
    out: '',
    error: /^hash-password: Unexpected arguments\nusage: hash-password\n/,
  });
  t.notMatch(result.error, 'correct horse');
});

t.test('a restart of Redis with restricted users discarded what scripts had written', async (t) => {
  const { json: work } = await challenge.get('/api/captcha/pow', { ip });
  const fields = { pow_token: work.token, pow_nonce: solve(work) };
  const body = { email: 'ann@example.com', password: 'another battery', ...fields };
  const { cookies } = await first.post('/login', { ip, body });
  const headers = { cookie: cookies.at(0)?.split(';')[0] ?? '' };
  const sizes = () => Promise.all(Object.values(stores).map(({ tester }) => tester.dbsize()));
  const before = await sizes();
  for (const { restart } of Object.values(stores)) await restart();
  t.strictSame(await sizes(), before);
  const post = async (client: typeof first, path: string, sent: Parameters<typeof first.post>[1]) => {
    let response = await client.post(path, sent);
    const isBack = async () => {
      if (response.status === 503) response = await client.post(path, sent);
      return response.status !== 503;
    };
    await waitUntil(isBack, `${path} after the restart`);
    return response;
  };
  t.match(await post(second, '/refresh', { ip, headers }), { status: 200 }, 'the session lives');
  t.match(await post(first, '/login', { ip, body }), { status: 422, json: { code: 'pow_invalid' } });
});

t.test('Redis permits exactly the commands of the services', async (t) => {
  for (const [name, { port, tester }] of Object.entries(stores)) {
    t.strictSame(await tester.call('ACL', 'LOG'), [], name);
    const password = secret(`${name}_store_password`);
    const service = new Redis({ port, username: 'tollgate', password });
    const own = new Redis({ port, username: 'maintenance', password: 'none', enableReadyCheck: false });
    const stranger = new Redis({ port, enableReadyCheck: false });
    const byDefault = new Redis({
      port,
      username: 'default',
      password: 'none',
      lazyConnect: true,
      retryStrategy: null,
    });
    t.teardown(() => {
      for (const client of [service, own, stranger]) client.disconnect();
    });
    for (const command of [
      ['FLUSHALL'],
      ['CONFIG', 'SET', 'dir', '/'],
      ['KEYS', '*'],
      ['SCRIPT', 'FLUSH'],
      ['FUNCTION', 'FLUSH'],
      ['SHUTDOWN'],
      ['ACL', 'LIST'],
    ]) {
      const [first = '', ...rest] = command;
      await t.rejects(service.call(first, ...rest), { message: /NOPERM/ }, `${name}: ${command.join(' ')}`);
    }
    t.equal(await own.ping(), 'PONG');
    for (const command of ['GET a', 'SET a b', 'INFO', 'ACL LIST', 'EVAL return 0', 'CONFIG GET *']) {
      const [first = '', ...rest] = command.split(' ');
      await t.rejects(own.call(first, ...rest), { message: /NOPERM/ }, `${name}: ${command}`);
    }
    await t.rejects(stranger.ping(), { message: /NOAUTH/ }, `${name}: without a user`);
    const reason = once(byDefault, 'error');
    await t.rejects(byDefault.connect());
    t.match(await reason, [{ message: /WRONGPASS/ }]);
  }
});

t.test('the Sentinel variant: a dead master is replaced, and returns as a replica', async (t) => {
  const LONGEST_WAIT_MS = 30_000;
  /** Two names of this machine: one for the first server, one for the others. */
  const [FIRST, OTHER] = ['localhost', '127.0.0.1'];

  const folder = tempDir(t);
  const secrets = join(folder, 'secrets');
  execFileSync('sh', [join(projectRoot, 'deploy/compose/make-secrets.sh'), secrets], { stdio: 'ignore' });
  execFileSync('cp', [join(secrets, 'session_store_acl'), join(secrets, 'store_acl')]);
  const password = readFileSync(join(secrets, 'session_store_password'), 'utf8');

  /** Starts a script; its folder keeps its state, so that it can be restarted. */
  function start(
    script: string,
    args: readonly string[],
    name: string,
    env: NodeJS.ProcessEnv,
  ): ChildProcess {
    const data = join(folder, name);
    mkdirSync(data, { recursive: true });
    const child = spawn('sh', [join(projectRoot, 'deploy/compose', script), ...args], {
      env: { PATH: process.env.PATH, BIND: '127.0.0.1', DATA: data, SECRETS: secrets, ...env },
      stdio: 'ignore',
      detached: true,
    });
    t.teardown(async () => {
      await endProcess(child);
      // Outside a container, the script's daily rewrite outlives its server.
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {}
    });
    return child;
  }

  const [master = '', second = '', third = '', alone = '', ...sentinels] = await freePorts(7);
  const node = (port: string, host: string) =>
    start('redis-node.sh', [host, FIRST], port, { PORT: port, FIRST_PORT: master });

  const servers = new Map([
    [master, node(master, FIRST)],
    [second, node(second, OTHER)],
    [third, node(third, OTHER)],
  ]);
  // The Sentinels watch two stores. A single server is enough for the other one.
  start('redis-node.sh', [FIRST, FIRST], alone, { PORT: alone });
  for (const port of [master, alone]) await until(() => answers(port), 'the first servers respond');
  for (const port of sentinels) {
    const env = { PORT: port, SESSION_STORE_PORT: master, CHALLENGE_STORE_PORT: alone };
    start('sentinel.sh', [OTHER, FIRST, FIRST], port, env);
  }

  const client = new Redis({
    sentinels: sentinels.map((port) => ({ host: OTHER, port: Number(port) })),
    name: 'sessions',
    username: 'tollgate',
    password,
    sentinelRetryStrategy: () => 100,
    retryStrategy: () => 100,
    reconnectOnError: (error) => /READONLY|NOREPLICAS/.test(error.message),
    maxRetriesPerRequest: null,
  });
  client.on('error', () => {});
  t.teardown(() => client.disconnect());

  const sentinel = new Redis({ host: OTHER, port: Number(sentinels[0]), maxRetriesPerRequest: null });
  sentinel.on('error', () => {});
  t.teardown(() => sentinel.disconnect());
  const ask = async (what: string) =>
    ((await sentinel.call('SENTINEL', what, 'sessions').catch(() => [])) ?? []) as string[][];
  /** The replicas of the master, by port. */
  const following = async () => {
    const replicas = (await ask('REPLICAS')).map((fields) => fields.join(' '));
    const linked = replicas.filter((text) => /\brole-reported slave\b.*\bmaster-link-status ok\b/.test(text));
    return linked.map((text) => /^name \S+:(\d+) /.exec(text)?.[1]).sort();
  };

  t.test('the replicas follow with their own ACL users, and the Sentinels find each other', async (t) => {
    await until(async () => (await following()).length === 2, 'two replicas');
    await until(async () => (await ask('SENTINELS')).length === 2, 'two more Sentinels');
    await until(async () => (await client.set('session', 'kept').catch(() => '')) === 'OK', 'a write');
    t.equal(await client.wait(2, 5_000), 2, 'both replicas have the write');
  });

  t.test('a dead master is replaced, and returns as a replica', async (t) => {
    const masterPort = async () => String((await ask('GET-MASTER-ADDR-BY-NAME'))[1]);
    await endProcess(servers.get(master)!);
    await until(async () => [second, third].includes(await masterPort()), 'another master');
    await until(async () => (await client.set('after', 'kept').catch(() => '')) === 'OK', 'a write there');
    t.equal(await client.get('session'), 'kept', 'nothing is lost');

    node(master, FIRST);
    await until(async () => (await following()).includes(master), 'follow the new master');
    t.equal(await client.wait(2, 5_000), 2, 'it has everything again');
  });

  async function answers(port: string): Promise<boolean> {
    const probe = new Redis({
      host: OTHER,
      port: Number(port),
      username: 'maintenance',
      password: 'none',
      lazyConnect: true,
      enableReadyCheck: false,
    });
    probe.on('error', () => {});
    try {
      await probe.connect();
      return (await probe.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      probe.disconnect();
    }
  }

  async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const deadlineMs = performance.now() + LONGEST_WAIT_MS;
    while (!(await isSo())) {
      if (performance.now() > deadlineMs) throw new Error(`timeout waiting for: ${what}`);
      await pause(50);
    }
  }

  async function freePorts(count: number): Promise<string[]> {
    const found = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
    await Promise.all(found.map((server) => once(server, 'listening')));
    const ports = found.map((server) => String((server.address() as { port: number }).port));
    await Promise.all(found.map((server) => new Promise((resolve) => server.close(resolve))));
    return ports;
  }
});
