// The whole system as `npm start` runs it: its output, and that nothing is left behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
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
