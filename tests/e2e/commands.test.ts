// What operators run: both services with only the specification's three secrets, the commands beside them as npm scripts,
// and a new account in a service's container.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { hashPassword } from '@tollgate/session-service/passwords/password-hash.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
  type Ports,
  projectRoot,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { openSecrets } from '@tollgate/tools/launcher/secrets.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import t, { type Test } from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { solve, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import { CHEAP, onStore, type Site } from './site.js';

const SECRETS = { ACCESS_SECRET: 'access', REFRESH_SECRET: 'refresh', ENCRYPTION_KEY: 'encryption' };
const PASSWORD = 'correct horse battery staple';

// A container has its own process ids, and so has a command executed in it.
const IN_CONTAINER = ['--pid', '--fork', '--kill-child'];
const hasNamespaces = spawnSync('unshare', [...IN_CONTAINER, 'true']).status === 0;
const skip = hasNamespaces ? false : 'process id namespaces require root on Linux';

t.test('three short secrets start both services, and a user logs in and refreshes', async (t) => {
  const folder = tempDir(t);
  const ports = await settlePorts(ANY_PORTS);
  const log = await startBoth(t, folder, ports, { ...SECRETS, NODE_ENV: 'test' });
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  t.teardown(() => directory.close());
  await directory.add('dave@example.com', await hashPassword(PASSWORD));

  const challenges = `http://localhost:${ports.challenge}/api/captcha`;
  const work = (await (await fetch(`${challenges}/pow`)).json()) as Work;
  const session = `http://localhost:${ports.session}`;
  const signedIn = await fetch(`${session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: 'dave@example.com',
      password: PASSWORD,
      pow_token: work.token,
      pow_nonce: solve(work),
    }),
  });
  t.equal(signedIn.status, 200, 'both services have the same challenge secret');
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .find((pair) => /^refreshToken=./.test(pair));
  t.match(await fetch(`${session}/refresh`, { method: 'POST', headers: { Cookie: cookie ?? '' } }), {
    status: 200,
  });

  const { url } = (await (await fetch(challenges)).json()) as { url: string };
  t.ok(url.startsWith(`${challenges}/`), 'the image address is at challenge-service');
  t.equal((await fetch(url)).headers.get('content-type'), 'image/png');

  t.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
  for (const name of Object.keys(SECRETS)) t.match(log('session-service'), new RegExp(`"${name} must have`));
  const made = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')).CHALLENGE_SECRET;
  for (const service of ['session-service', 'challenge-service'] as const)
    t.notOk(log(service).includes(made));
});

t.test('settings with an unintended effect are warnings in the log', async (t) => {
  const ports = await settlePorts(ANY_PORTS);
  const log = await startBoth(t, tempDir(t), ports, {
    ...Object.fromEntries(Object.keys(SECRETS).map((name) => [name, `${name}-of-more-than-32-characters`])),
    CHALLENGE_SECRET: 'CHALLENGE_SECRET-of-more-than-32-characters',
    PUBLIC_URL: 'http://192.168.1.5',
    RATE_LIMIT_LOGINS: '5',
    REFRESH_WINDOWS: '5',
    HOST_API_TOKEN: 'x',
  });
  t.match(log('session-service'), /"msg":"PUBLIC_URL http:\/\/192\.168\.1\.5 is plain http: browsers drop/);
  t.match(log('challenge-service'), /browsers drop/);
  t.match(log('session-service'), /"msg":"RATE_LIMIT_LOGINS is not known: RATE_LIMIT_LOGIN may be meant"/);
  t.match(log('session-service'), /"msg":"REFRESH_WINDOWS is not known: REFRESH_WINDOW may be meant"/);
  t.match(log('challenge-service'), /"msg":"HOST_API_TOKEN is not known"/);
});

/** Starts both services and returns the log of each. */
async function startBoth(
  t: Test,
  folder: string,
  ports: Ports,
  variables: Environment,
): Promise<(name: ServiceName) => string> {
  const start = (name: ServiceName, own: Environment) => {
    const service = startServiceHere(name, {
      environment: { DATA_DIR: folder, DRAIN_SECONDS: '0', ...variables, ...own },
      logFile: join(folder, 'logs', `${name}.log`),
    });
    t.teardown(() => service.stop(5_000));
    return service;
  };
  const session = start('session-service', {
    PORT: String(ports.session),
    SESSION_ADMIN_PORT: String(ports.sessionAdmin),
  });
  const challenge = start('challenge-service', {
    PORT: String(ports.challenge),
    CHALLENGE_ADMIN_PORT: String(ports.challengeAdmin),
  });
  await waitUntilAllReady(
    [
      { service: session, url: `http://127.0.0.1:${ports.sessionAdmin}/health/ready`, explain: String },
      { service: challenge, url: `http://127.0.0.1:${ports.challengeAdmin}/health/ready`, explain: String },
    ],
    { unreadyMs: 10_000, silentMs: 30_000 },
  );
  return (name) => (name === 'session-service' ? session : challenge).log();
}

t.test('scripts on the data of one machine', (t) =>
  onStore(t, 'embedded', CHEAP, (t, site) => tests(t, site, {})),
);

t.test('scripts with a Redis for the sessions and one for the challenges', async (t) => {
  const stores = { CAPTCHA_CACHE_STORE: (await startRedis(t)).url };
  const environment = { ...CHEAP, ...stores };
  await onStore(t, 'redis', environment, (t, site) => tests(t, site, stores), {}, startServiceHere);
});

async function tests(t: Test, site: Site, stores: Environment): Promise<void> {
  const { gateway, redis, system } = site;
  const environment = {
    ...stores,
    DATA_DIR: dirname(system.logFolder),
    ...(redis === undefined ? {} : { STORE_URL: redis.url }),
  };
  const run = (...args: string[]) => runScript(environment, args);
  const user = await site.newUser();

  await t.test('session why distinguishes live and ended sessions', async (t) => {
    const { accessToken } = await site.logIn(user);
    const sid = (await site.events('login')).at(-1)?.sid ?? '';
    t.match(await run('session', 'why', sid), {
      code: 0,
      out: `Session ${sid} of user ${user.id} is alive, at generation 1.\n`,
    });
    await gateway.post('/logout', { headers: { authorization: `Bearer ${accessToken}` } });
    const { code, out } = await run('session', 'why', sid, '--json');
    t.equal(code, 0);
    t.match(JSON.parse(out), { session: sid, state: 'ended', user: user.id, reason: 'logout' });
    t.equal((await run('session', 'why', 'x'.repeat(22))).code, 3);
    t.notOk(out.includes(user.email));
  });

  await t.test('keys status counts the nodes of both services, also after a restart', async (t) => {
    const status = async () => {
      const { code, out } = await run('keys', 'status');
      t.equal(code, 0);
      return out;
    };
    const before = await status();
    t.match(before, 'ACCESS_SECRET, on 1 node:\n  append:');
    t.match(before, 'CHALLENGE_SECRET, on 2 nodes:\n  append:');
    t.notMatch(before, 'No node of the challenge service');
    await site.restart('challenge-service');
    const after = await status();
    t.match(after, 'CHALLENGE_SECRET, on 2 nodes:\n  append:', 'it has deregistered and registered');
    for (const secret of Object.values(system.secrets)) t.notOk((before + after).includes(secret));
  });

  await t.test('users list', async (t) => {
    t.match(await run('users', 'list'), { code: 0, out: `${user.id}\t${user.email}\tenabled` });
  });
}

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

/** Runs a script's command as npm does, without npm's own second. */
async function runScript(environment: Environment, [name = '', ...args]: readonly string[]) {
  const { PATH, HOME } = process.env;
  const [command = '', ...first] = scripts[name]?.split(' ') ?? [];
  const child = spawn(command, [...first, ...args], {
    cwd: projectRoot,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  return { code, out };
}

t.test('an account added in the container can log in', { skip }, async (t) => {
  const folder = tempDir(t);
  const redis = await startRedis(t);
  const ports = await settlePorts(ANY_PORTS);
  const environment = completeForLocalUse(
    {
      ...openSecrets(folder, {}),
      DATA_DIR: folder,
      STORE_URL: redis.url,
      NODE_ENV: 'production',
      ALLOW_EMBEDDED: 'true',
    },
    ports,
  );
  const challenges = startServiceHere('challenge-service', {
    environment: environmentFor('challenge-service', environment),
    logFile: join(folder, 'challenge.log'),
  });
  t.teardown(() => challenges.stop(5_000));
  const env = { PATH: process.env.PATH, ...environmentFor('session-service', environment) };
  const container = await startContainer(t, env, ports.sessionAdmin);
  await waitUntilAllReady(
    [
      {
        service: challenges,
        url: `http://127.0.0.1:${ports.challengeAdmin}/health/ready`,
        explain: (body) => body,
      },
    ],
    { unreadyMs: 10_000, silentMs: 60_000 },
  );

  const [, typed = ''] =
    /\ndocker exec CONTAINER (node .*users\.js add \S+)\n/.exec(
      readProjectFile('docs/operations/users.md'),
    ) ?? [];
  t.match(typed, /^node services\//);
  const added = await execute(container, typed, env);
  t.strictSame(added, { code: 0, out: 'added you@example.com as user 1\n' });

  const work = JSON.parse((await ask(`http://127.0.0.1:${ports.challenge}/api/captcha/pow`)).text);
  const answer = await ask(`http://127.0.0.1:${ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: 'you@example.com',
      password: PASSWORD,
      pow_token: work.token,
      pow_nonce: solve(work),
    }),
  });
  t.equal(answer.status, 200, answer.text);
});

/** Starts session-service as the first process of a namespace. @returns its process id outside */
async function startContainer(t: Test, env: NodeJS.ProcessEnv, adminPort: number): Promise<number> {
  const program = [process.execPath, programOf('session-service')];
  const shell = spawn('unshare', [...IN_CONTAINER, ...program], {
    env,
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(shell, 'close');
  t.teardown(async () => {
    shell.kill('SIGKILL');
    await gone;
  });
  for (;;) {
    if (shell.exitCode !== null) throw new Error(`it exited with ${shell.exitCode}`);
    const answer = await ask(`http://127.0.0.1:${adminPort}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return childOf(shell);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function childOf({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : 0;
}

/** Runs the rest of a `docker compose exec SERVICE` command, with the password piped in. */
async function execute(container: number, typed: string, env: NodeJS.ProcessEnv) {
  const [, ...args] = typed.split(' ');
  const child = spawn('nsenter', ['--pid', '--target', String(container), process.execPath, ...args], {
    env,
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(child, 'close');
  return { code, out };
}
