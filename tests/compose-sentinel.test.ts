// The scripts of the Sentinel variant on real servers: a dead master is replaced, and returns as a replica.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess } from '@tollgate/test-support/redis-process.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { Redis } from 'ioredis';
import t from 'tap';

const LONGEST_WAIT_MS = 30_000;
/** Two names of this machine: one for the first server, one for the others. */
const [FIRST, OTHER] = ['localhost', '127.0.0.1'];

const folder = tempDir(t);
const secrets = join(folder, 'secrets');
execFileSync('sh', [join(projectRoot, 'deploy/compose/make-secrets.sh'), secrets], { stdio: 'ignore' });
execFileSync('cp', [join(secrets, 'session_store_acl'), join(secrets, 'store_acl')]);
const password = readFileSync(join(secrets, 'session_store_password'), 'utf8');

/** Starts a script; its folder keeps its state, so that it can be restarted. */
function start(script: string, args: readonly string[], name: string, env: NodeJS.ProcessEnv): ChildProcess {
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  const child = spawn('sh', [join(projectRoot, 'deploy/compose', script), ...args], {
    env: { PATH: process.env.PATH, BIND: '127.0.0.1', DATA: data, SECRETS: secrets, ...env },
    stdio: 'ignore',
  });
  t.teardown(() => endProcess(child));
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
  const probe = new Redis({ host: OTHER, port: Number(port), lazyConnect: true, enableReadyCheck: false });
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
