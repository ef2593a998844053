// Starting and stopping a service.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import healthRoutes from '../../../src/http/observability/health.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { type ListenAt, type Service, startService } from '../../../src/http/server/lifecycle.js';

const at = (port: number, variable: string, host = '127.0.0.1'): ListenAt => ({
  host,
  port,
  hostVariable: `${variable}_BIND`,
  portVariable: `${variable}_PORT`,
});

function buildService(t: Test, changes: Partial<Service> = {}) {
  const events: string[] = [];
  const state = { stopping: false };
  const publicApp = Fastify();
  const adminApp = Fastify();
  publicApp.get('/', async () => 'served');
  publicApp.addHook('onClose', async () => void events.push('public closed'));
  adminApp.addHook('onClose', async () => void events.push('admin closed'));
  adminApp.register(healthRoutes, { checks: {}, state });
  t.teardown(() => Promise.all([publicApp.close(), adminApp.close()]));
  const service: Service = {
    logger: publicApp.log,
    publicApp,
    adminApp,
    publicAt: at(0, 'PUBLIC'),
    adminAt: at(0, 'ADMIN'),
    drainSeconds: 0,
    state,
    flush: async () => void events.push('flushed'),
    closeDependencies: async () => void events.push('dependencies closed'),
    ...changes,
  };
  return { service, events, state };
}

t.test('both listeners serve, and stopping closes everything in order', async (t) => {
  const { service, events, state } = buildService(t);
  const running = await startService(service);
  t.equal(await (await fetch(running.publicUrl)).text(), 'served');
  t.equal((await fetch(`${running.adminUrl}/health/ready`)).status, 200);
  await Promise.all([running.stop(), running.stop()]);
  t.ok(state.stopping);
  t.same(events, ['public closed', 'flushed', 'admin closed', 'dependencies closed']);
});

t.test('no request is served before the stores are open', async (t) => {
  const { service, events } = buildService(t, {
    async opened() {
      events.push('opened');
      t.notOk(service.adminApp.server.listening);
      t.notOk(service.publicApp.server.listening);
    },
  });
  const running = await startService(service);
  t.equal(await (await fetch(running.publicUrl)).text(), 'served');
  await running.stop();
  t.equal(events[0], 'opened');
});

t.test('while draining it is not ready and continues to serve', async (t) => {
  const { service } = buildService(t, { drainSeconds: 0.3 });
  const running = await startService(service);
  const stopped = running.stop();
  t.equal((await fetch(`${running.adminUrl}/health/ready`)).status, 503);
  t.equal((await fetch(`${running.adminUrl}/health/live`)).status, 200);
  t.equal(await (await fetch(running.publicUrl)).text(), 'served');
  await stopped;
  await t.rejects(fetch(running.publicUrl));
});

t.test('a dependency that fails to close does not keep others open', async (t) => {
  const { service, events } = buildService(t, {
    flush: async () => {
      throw new Error('cannot flush');
    },
  });
  const running = await startService(service);
  await t.rejects(running.stop(), /cannot flush/);
  t.same(events, ['public closed', 'admin closed', 'dependencies closed']);
});

t.test('a dependency that never closes is named, and the stop continues without it', async (t) => {
  const lines: string[] = [];
  const logger = createLogger(
    { name: 'test', level: 'warn' },
    { write: (line: string) => void lines.push(line) },
  );
  const { service, events } = buildService(t, { logger, flush: () => new Promise(() => {}) });
  const running = await startService(service);
  await running.stop();
  t.same(events, ['public closed', 'admin closed', 'dependencies closed']);
  t.match(JSON.parse(lines[0] ?? ''), { what: 'the buffered data', msg: 'did not close in time' });
});

t.test('a port in use causes one line with its variable, and everything is closed again', async (t) => {
  const other = Fastify();
  t.teardown(() => other.close());
  const { port } = new URL(await other.listen({ port: 0, host: '127.0.0.1' }));
  const { service, events } = buildService(t, { publicAt: at(Number(port), 'PUBLIC') });
  await t.rejects(startService(service), {
    name: 'ConfigurationError',
    lines: [`PUBLIC_PORT: port ${port} on 127.0.0.1 is in use by another program`],
  });
  t.same(events, ['public closed', 'flushed', 'admin closed', 'dependencies closed']);
});

t.test('an address of another machine causes one line with its variable', async (t) => {
  const { service } = buildService(t, { adminAt: at(0, 'ADMIN', '192.0.2.1') });
  await t.rejects(startService(service), {
    name: 'ConfigurationError',
    lines: ['ADMIN_BIND: 192.0.2.1 is not an address of this machine'],
  });
});

async function runProgram(name: string, during: (output: string) => NodeJS.Signals | undefined) {
  const program = fileURLToPath(new URL(`programs/${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
    const signal = during(output);
    if (signal !== undefined) child.kill(signal);
  });
  const errors = text(child.stderr);
  const [status] = await once(child, 'close');
  return { status, output, errors: await errors };
}

t.test('SIGTERM stops the program in order and it exits with status 0', async (t) => {
  let sent = false;
  const { status, output } = await runProgram('service', (soFar) => {
    if (sent || !soFar.includes('listening')) return undefined;
    sent = true;
    return 'SIGTERM';
  });
  t.equal(status, 0);
  t.match(output, /listening\npublic closed\nflushed\nadmin closed\ndependencies closed\n/);
});

t.test('configuration errors are printed one per line, without a stack, and the status is 1', async (t) => {
  const { status, output, errors } = await runProgram('misconfigured', () => undefined);
  t.equal(status, 1);
  t.equal(output, '');
  t.equal(errors, 'PUBLIC_URL is missing\nSESSION_PORT must be a number\n');
});
