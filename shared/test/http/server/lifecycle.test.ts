// Starting and stopping a service, and closing its connections.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import healthRoutes, { type HealthState } from '../../../src/http/observability/health.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { type ListenAt, type Service, startService } from '../../../src/http/server/lifecycle.js';
import { serverOptions } from '../../../src/http/server/server-options.js';

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

// A stopping service closes its connections, regardless of their clients.

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const ANY_PORT: ListenAt = { host: '127.0.0.1', port: 0, hostVariable: 'BIND', portVariable: 'PORT' };

/** A service with its normal server options; it responds to `/slow` after `release`. */
async function start(t: Test, drainSeconds = 0) {
  const events: string[] = [];
  const lines: string[] = [];
  const logger = createLogger(
    { name: 'test', level: 'warn' },
    { write: (line: string) => void lines.push(line) },
  );
  const state: HealthState = { stopping: false };
  const options = serverOptions({ logger, publicUrl: 'https://example.com', state });
  const publicApp = Fastify(options);
  const adminApp = Fastify(options);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = once(publicApp.server, 'request');
  for (const app of [publicApp, adminApp]) {
    app.get('/', async () => 'served');
    app.post('/', async () => 'served');
    app.get('/slow', async () => {
      await released;
      return 'served';
    });
  }
  adminApp.register(healthRoutes, { checks: {}, state });
  const running = await startService({
    logger,
    publicApp,
    adminApp,
    publicAt: ANY_PORT,
    adminAt: ANY_PORT,
    drainSeconds,
    state,
    flush: async () => void events.push('flushed'),
    closeDependencies: async () => void events.push('dependencies closed'),
  });
  t.teardown(() => {
    release();
    return running.stop({ drain: false });
  });
  const open = async (url: string): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { running, events, lines, release, arrived, open };
}

t.test('a stop waits for no idle, silent or unfinished connection, on both listeners', async (t) => {
  const { running, events, lines, open } = await start(t);
  const sockets: Socket[] = [];
  for (const url of [running.publicUrl, running.adminUrl]) {
    const idle = await open(url);
    idle.write(REQUEST);
    await once(idle, 'data');
    const silent = await open(url);
    const half = await open(url);
    half.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const unfinished = await open(url);
    unfinished.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    sockets.push(idle, silent, half, unfinished);
  }
  const ended = sockets.map((socket) => once(socket.resume(), 'close'));
  await running.stop();
  await Promise.all(ended);
  t.strictSame(events, ['flushed', 'dependencies closed']);
  t.strictSame(lines, [], 'nothing was late');
});

t.test(
  'while stopping, every response closes its connection, including those to earlier requests',
  async (t) => {
    const { running, arrived, release, open } = await start(t);
    const socket = await open(running.publicUrl);
    socket.write(REQUEST.replace('/ ', '/slow '));
    await arrived;
    const stopped = running.stop();
    release();
    const answer = await text(socket);
    t.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    t.match(answer, /\r\nconnection: close\r\n/i);
    await stopped;
  },
);

t.test('while draining, it serves new connections and closes each after one response', async (t) => {
  const { running, open } = await start(t, 0.3);
  const kept = await open(running.publicUrl);
  kept.write(REQUEST);
  const [before] = (await once(kept, 'data')) as [Buffer];
  t.notMatch(before.toString(), /connection: close/i);
  const stopped = running.stop();
  kept.write(REQUEST);
  t.match(await text(kept), /connection: close\r\n[\s\S]*served$/i);
  const later = await open(running.publicUrl);
  later.write(REQUEST);
  t.match(await text(later), /connection: close\r\n[\s\S]*served$/i);
  const missing = await open(running.adminUrl);
  missing.write(REQUEST.replace('/ ', '/nothing '));
  t.match(await text(missing), /^HTTP\/1\.1 404 [\s\S]*connection: close\r\n/i);
  await stopped;
});

t.test('in the last second of draining connections stay open, and are used to the end', async (t) => {
  const { running, open } = await start(t, 2);
  const stopped = running.stop();
  const ask = async (socket: Socket) => {
    socket.write(REQUEST);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return /connection: close/i.test(answer.toString());
  };
  const kept: Socket[] = [];
  for (;;) {
    const socket = await open(running.publicUrl).catch(() => undefined);
    if (socket === undefined) break;
    if (await ask(socket)) socket.destroy();
    else if (kept.push(socket) >= 2) break;
  }
  const [used, idle] = kept as [Socket, Socket];
  while (await isOpen(running.publicUrl)) await pause(10);
  t.ok(await ask(used), 'after the listener has closed an answer ends the connection');
  const ended = Promise.all([used, idle].map((socket) => once(socket.resume(), 'close')));
  await stopped;
  await ended;
});

t.test('a request without a response is cut off', async (t) => {
  const { lines, running, arrived, open } = await start(t);
  const socket = await open(running.publicUrl);
  socket.write(REQUEST.replace('/ ', '/slow '));
  await arrived;
  const cut = once(socket.resume(), 'close');
  await running.stop();
  await cut;
  t.strictSame(lines, [], 'nothing was late');
});

/** Whether the listener accepts connections. */
async function isOpen(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
