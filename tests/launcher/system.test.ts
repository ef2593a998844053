// The whole system as `npm start` runs it: its output, that nothing is left behind, and mistakes that prevent a start, as
// shown in the terminal.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openChallengeService } from '@tollgate/challenge-service/service.js';
import { openSessionService } from '@tollgate/session-service/service.js';
import { startService } from '@tollgate/shared/http';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import { entry, freePorts, launch } from './launch.js';

const solver = fileURLToPath(new URL('../../../tools/solve.js', import.meta.url));

/** Lists the children of a process. */
const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

async function solve(address: string): Promise<Record<string, string>> {
  const child = spawn(process.execPath, [solver, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

async function logIn(address: string, account: { email: string; password: string }) {
  return await ask(`${address}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...account, ...(await solve(address)) }),
  });
}

const secrets = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
};

const environmentOf = (dataFolder: string) => ({
  ...secrets,
  ...freePorts,
  PUBLIC_URL: 'http://localhost:8080',
  DATA_DIR: dataFolder,
});
const runtime = { output: { write: () => {} }, run: startService };
/** Starts each program here, on a data folder. */
const programs: Record<string, (path: string) => Promise<unknown>> = {
  'npm start': async (path: string) => startSystem({ environment: environmentOf(path) }),
  'session-service': async (path: string) => openSessionService(environmentOf(path), runtime),
  'challenge-service': async (path: string) => openChallengeService(environmentOf(path), runtime),
};

t.test('a Ctrl-C that arrives twice stops everything cleanly', async (t) => {
  const { child, ended, address } = launch(t, {});
  const url = await address;
  t.equal((await ask(`${url}/api/captcha/pow`)).status, 200);
  child.kill('SIGINT');
  child.kill('SIGINT');
  const { code, out, err } = await ended;
  t.equal(code, 0);
  t.equal(err, '');
  t.match(out, /E-mail +demo@example\.com\n +Password +\S{19}\n/);
  await t.rejects(ask(url), { code: 'ECONNREFUSED' });
});

t.test('a stop waits for no connection, of the gateway or of either listener of a service', async (t) => {
  const folder = t.testdir();
  const { child, ended, address } = launch(t, { DATA_DIR: folder });
  const url = await address;
  const { SESSION_PORT, SESSION_ADMIN_PORT, CHALLENGE_PORT, CHALLENGE_ADMIN_PORT } = JSON.parse(
    readFileSync(join(folder, 'running.json'), 'utf8'),
  ).variables;
  const ofServices = [SESSION_PORT, SESSION_ADMIN_PORT, CHALLENGE_PORT, CHALLENGE_ADMIN_PORT];
  for (const port of ofServices) {
    const { status } = await ask(`http://127.0.0.1:${port}/openapi.json`);
    t.equal(status, 200, 'modules that a bundle loads with its first request');
  }
  for (const port of [new URL(url).port, ...ofServices]) {
    for (const begin of [
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      '',
      'GET / HTTP/1.1\r\nHost: x\r\n',
      'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ]) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      socket.write(begin);
      if (begin.endsWith('\r\n\r\n')) await once(socket, 'data');
    }
  }
  const startedMs = performance.now();
  child.kill('SIGTERM');
  const { code, err } = await ended;
  t.comment(`the launcher ended after ${Math.round(performance.now() - startedMs)} ms`);
  t.equal(code, 0);
  t.equal(err, '');
  for (const name of ['session-service', 'challenge-service']) {
    const log = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8');
    t.match(log, /"msg":"stopping"/);
    t.notMatch(log, /"level":"(?:warn|error|fatal)"[^\n]*(?:close|timeout)/, 'nothing was late');
  }
});

t.test('a stop exits with 0 although Redis does not respond', async (t) => {
  const redis = await startRedis(t);
  const environment = { DATA_DIR: t.testdir(), ...freePorts, STORE_URL: redis.url };
  const system = await startSystem({ environment });
  redis.freeze();
  const startedMs = performance.now();
  await system.stop();
  redis.thaw();
  t.comment(`the system ended after ${Math.round(performance.now() - startedMs)} ms`);
  for (const { child } of Object.values(system.processes)) t.equal(child.exitCode, 0);
});

t.test('a killed launcher takes its services with it', { skip: !hasProc }, async (t) => {
  const { child, address } = launch(t, {});
  await address;
  const services = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  t.equal(services.length, 2);
  child.kill('SIGKILL');
  for (const pid of services) {
    while (isAlive(Number(pid))) await setImmediate();
    t.equal(isAlive(Number(pid)), false);
  }
});

t.test('started by npm, it stops when npm has ended', { skip: !hasProc }, async (t) => {
  const script = `"${process.execPath}" "${entry}" & wait`;
  const environment = { DATA_DIR: t.testdir(), ...freePorts, npm_lifecycle_event: 'start' };
  const shell = spawn('/bin/sh', ['-c', script], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  for await (const text of shell.stdout.setEncoding('utf8')) {
    out += text;
    if (out.includes('Ctrl-C')) break;
  }
  const [launcher] = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').trim().split(' ');
  t.ok(isAlive(Number(launcher)));
  shell.kill('SIGKILL');
  while (isAlive(Number(launcher))) await setImmediate();
  t.equal(isAlive(Number(launcher)), false);
});

t.test('a restart keeps sessions, secrets and the account', async (t) => {
  const environment = { DATA_DIR: t.testdir(), ...freePorts };
  const first = await startSystem({ environment });
  const answer = await logIn(first.address, first.demo!);
  t.equal(answer.status, 200);
  const cookie = answer.headers['set-cookie']?.at(0)?.split(';')[0] ?? '';
  await first.stop();

  const second = await startSystem({ environment });
  t.teardown(() => second.stop());
  t.same(second.secrets, first.secrets);
  const refreshed = await ask(`${second.address}/refresh`, { method: 'POST', headers: { Cookie: cookie } });
  t.equal(refreshed.status, 200);
  t.equal((await logIn(second.address, first.demo!)).status, 200);
  t.notMatch(second.logs(), second.demo?.password);
});

t.test('when a service dies, everything stops with one clear line', async (t) => {
  const system = await startSystem({ environment: { DATA_DIR: t.testdir(), ...freePorts } });
  system.processes['challenge-service'].child.kill('SIGKILL');
  t.match(await system.broken, /^challenge-service has stopped by itself \(SIGKILL\)[^\n]*$/);
  t.equal((await ask(`${system.address}/api/captcha/pow`)).status, 503);
  await system.stop();
  t.equal(system.processes['session-service'].isRunning(), false);
  await t.rejects(ask(system.address), { code: 'ECONNREFUSED' });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // An ended process stays listed as a zombie until its parent has waited for it.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

t.test('test:nodes started a removed file', async (t) => {
  const program = new URL('../../../tools/main-flow.js', import.meta.url);
  const { runMainFlow } = await import(program.href);
  await t.resolves(runMainFlow(process.execPath));
});

t.test('a port in use is one clear line', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  t.match(await launch(t, { CHALLENGE_PORT: `${port}` }).ended, {
    code: 1,
    out: '',
    err: new RegExp(`^Port ${port} is in use; set CHALLENGE_PORT to another one[^\\n]*\\n$`),
  });
});

for (const [title, environment, line] of [
  ['a variable that both services read', { TRUST_PROXY: '3' }, /^TRUST_PROXY[^\n]*$/],
  ['a variable of one service', { ACCESS_TTL: 'soon' }, /^ACCESS_TTL[^\n]*$/],
  [
    'a challenge path of a demo page file',
    { CAPTCHA_ROUTES_PREFIX: 'app.js' },
    /^CAPTCHA_ROUTES_PREFIX must not begin with "app\.js", which is a path of the demo page\.$/,
  ],
  [
    'a demo password that is too short',
    { DEMO_PASSWORD: 'short' },
    /^DEMO_PASSWORD must have at least 8 characters[^\n]*$/,
  ],
  ['a demo password of two lines', { DEMO_PASSWORD: 'two long\nlines' }, /^DEMO_PASSWORD must [^\n]*$/],
  [
    'an invalid demo e-mail address',
    { DEMO_EMAIL: 'nobody' },
    /^DEMO_EMAIL must be an e-mail address[^\n]*$/,
  ],
  [
    'a list of origins',
    { CORS_ORIGIN: 'https://a.example.com,https://b.example.com' },
    /^CORS_ORIGIN must be one origin such as https:\/\/app\.example\.com$/,
  ],
] as const) {
  t.test(`${title} is one line`, async (t) => {
    const started = startSystem({
      environment: { DATA_DIR: t.testdir(), ...freePorts, ...environment },
      startService: startServiceHere,
    });
    await t.rejects(started, { name: 'StartError', message: line });
  });
}

t.test('an unreachable store is one clear line without its password', async (t) => {
  const environment = {
    DATA_DIR: t.testdir(),
    ...freePorts,
    STORE_URL: 'redis://user:secret-word@127.0.0.1:9',
  };
  await t.rejects(startSystem({ environment, storeMs: 500, startService: startServiceHere }), {
    name: 'StartError',
    message: 'redis://127.0.0.1:9 cannot be reached (STORE_URL).',
  });
});

t.test('an invalid DATA_DIR is one line immediately', async (t) => {
  const file = join(tempDir(t), 'file');
  writeFileSync(file, '');
  const isFile = `DATA_DIR must be a writable folder, not ${file}: it, or a folder above it, is a file`;
  for (const [path, message] of [
    [file, isFile],
    [join(file, 'data'), /^DATA_DIR must [^\n]*: it, or a folder above it, is a file$/],
  ] as const) {
    for (const [name, start] of Object.entries(programs)) {
      await t.rejects(start(path), { message }, `${name} ${path}`);
    }
  }
});

t.test('a program with an invalid DATA_DIR exits with one line', (t) => {
  const folder = tempDir(t);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'closed'), { mode: 0o555 });
  chmodSync(folder, 0o755);
  // Root may write everywhere, so another user tries.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  for (const [path, line, as] of [
    [join(folder, 'file'), /^DATA_DIR must [^\n]*: it, or a folder above it, is a file\n$/, {}],
    [join(folder, 'closed'), /^DATA_DIR must [^\n]*: this user may not write there\n$/, user],
    [join(folder, 'closed', 'data'), /^DATA_DIR must [^\n]*: this user may not write there\n$/, user],
    // Node's own recursive mkdir never ends there.
    ['/proc/tollgate/data', /^DATA_DIR must [^\n]*: no folder can be created there\n$/, {}],
  ] as const) {
    for (const program of [entry, programOf('session-service'), programOf('challenge-service')]) {
      const env = environmentOf(path);
      const ended = spawnSync(process.execPath, [program], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
        // A spinning program runs no signal handler.
        killSignal: 'SIGKILL',
        ...as,
      });
      t.match(ended, { stdout: '', status: 1, signal: null, stderr: line }, `${program} ${path}`);
    }
  }
  t.end();
});

t.test('a command of a clone that is not built prints the remedy in one line', async (t) => {
  const clone = t.testdir({ 'package.json': readFileSync(join(projectRoot, 'package.json'), 'utf8') });
  for (const name of ['captcha', 'users', 'keys', 'hash-password', 'session', 'doctor']) {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', name], {
      cwd: clone,
      encoding: 'utf8',
    });
    t.equal(stdout + stderr, 'Tollgate is not built: run npm ci and npm run build first.\n', name);
    t.not(status, 0);
  }
});
