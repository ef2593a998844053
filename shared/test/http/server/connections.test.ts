// Connections of slow and silent clients, and of clients that never read.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createLogger } from '../../../src/http/observability/logger.js';
import { writeTimeout } from '../../../src/http/server/responses.js';
import { serverOptions } from '../../../src/http/server/server-options.js';
import { buildAdminApp } from '../../../src/http/server/service-apps.js';

const CUT_OFF = /^HTTP\/1\.1 408 Request Timeout\r\nCache-Control: no-store\r\n/;
const SILENT = 10_000;
const AT_ONCE = 250;

t.test('slow body: a body that arrives endlessly is cut off with 408', async (t) => {
  const begin = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const { port, handled } = await listenImpatiently(t);
  t.match(await trickle(port, `${begin}Content-Length: 16000\r\n\r\n`, ' '), CUT_OFF, 'of a known length');
  t.match(
    await trickle(port, `${begin}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    CUT_OFF,
    'in chunks',
  );
  t.equal(handled(), 0, 'no handler was called');
});

t.test('slow headers: headers that arrive endlessly are cut off with 408', async (t) => {
  const { port, handled } = await listenImpatiently(t);
  t.match(await trickle(port, 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-Slow: 1\r\n'), CUT_OFF);
  t.match(await trickle(port, 'GET / HTTP/1.1\r\nX-Slow: ', 'x'), CUT_OFF);
  t.equal(handled(), 0);
});

t.test('10,000 idle connections do not hinder others, and are cut off', async (t) => {
  const { port, losePatience } = await startHeldService(t);
  const count = Math.min(SILENT, (await mostOpenFiles()) - 500);
  if (count < SILENT) t.comment(`${count} connections: this machine lets a process have no more`);
  const sockets: Socket[] = [];
  t.teardown(() => sockets.forEach((socket) => void socket.destroy()));
  while (sockets.length < count) {
    const opened = Array.from({ length: AT_ONCE }, () => connect(port, '127.0.0.1'));
    await Promise.all(opened.map((socket) => once(socket, 'connect')));
    sockets.push(...opened);
  }
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).json();
  const { connections } = (await ask()) as { connections: number };
  t.equal(connections, sockets.length + 1, 'all of them are held while another one is answered');

  const cut = Promise.all(sockets.map((socket) => text(socket)));
  losePatience();
  const answers = new Set(await cut);
  t.equal(answers.size, 1);
  t.match([...answers][0], CUT_OFF);
  const after = (await ask()) as { connections: number };
  t.ok(after.connections <= 2, `${after.connections} are left`);
});

/** Starts a server with the services' options and short timeouts. */
async function listenImpatiently(t: Test) {
  const options = serverOptions({
    logger: createLogger({ name: 'test', level: 'silent' }),
    publicUrl: 'https://example.com',
  });
  const http = { ...options.http, headersTimeout: 100, connectionsCheckingInterval: 20 };
  const app = Fastify({ ...options, http, requestTimeout: 150 });
  t.teardown(() => app.close());
  let handled = 0;
  app.route({ method: ['GET', 'POST'], url: '/', handler: async () => ({ handled: ++handled }) });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { port: Number(port), handled: () => handled };
}

/** Sends `beginning` and then one piece after the other until the server closes the connection. */
async function trickle(port: number, beginning: string, piece: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(beginning);
  const timer = setInterval(() => socket.writable && socket.write(piece), 10);
  const answer = await text(socket);
  clearInterval(timer);
  return answer;
}

/** Starts a server in a separate process, because each end of a connection uses a file descriptor. */
async function startHeldService(t: Test) {
  const child = fork(fileURLToPath(new URL('./programs/held-service.js', import.meta.url)));
  const gone = once(child, 'exit');
  t.teardown(async () => {
    child.kill();
    await gone;
  });
  const [address] = (await once(child, 'message')) as [AddressInfo];
  return { port: address.port, losePatience: () => void child.send('now') };
}

/** Returns the process's limit of open files; a low one if the system does not report it. */
async function mostOpenFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}

// Clients that send requests and never read: the maximum lifetime of their connections.

// More than the system buffers for a client that reads nothing.
const ANSWER_BYTES = 32 * 1024 * 1024;
const DEAF_CLIENTS = 40;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

t.test('clients that never read their responses are cut off, and no others', async (t) => {
  const { port, connections, accepted } = await listen(t, 500);
  const idle = await open(t, port);
  idle.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const deaf = await Promise.all(Array.from({ length: DEAF_CLIENTS }, () => open(t, port)));
  for (const socket of deaf) socket.pause().write(REQUEST);
  // On a busy machine the first may be cut off before the last is accepted.
  while (accepted() <= DEAF_CLIENTS) await pause(20);
  while ((await connections()) > 1) await pause(20);
  t.equal(await connections(), 1, 'the idle connection is left');
  idle.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(idle, 'data');
  t.match(String(answer), /^HTTP\/1\.1 200 OK/);
});

t.test('a client that keeps sending without reading is also cut off', async (t) => {
  const { port, connections } = await listen(t, 500);
  for (const path of ['/', '/%zz']) {
    const socket = await open(t, port);
    socket.pause();
    const timer = setInterval(() => socket.write(REQUEST.replace('/', path)), 20);
    t.teardown(() => clearInterval(timer));
    // Responses without a route are short: only many of them fill the system's buffers.
    if (path !== '/') for (let i = 0; i < 100; i++) socket.write(REQUEST.replace('/', path).repeat(1000));
    while ((await connections()) > 0) await pause(20);
    clearInterval(timer);
    t.pass(path);
  }
});

t.test('a client that reads slowly gets its whole response, in any time', async (t) => {
  const timeoutMs = 1000;
  const { port } = await listen(t, timeoutMs);
  const socket = await open(t, port);
  let received = 0;
  let pauses = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    // Each pause is shorter than the timeout, all together are longer.
    if (received > (pauses + 1) * (ANSWER_BYTES / 8)) {
      pauses += 1;
      socket.pause();
      setTimeout(() => socket.resume(), timeoutMs / 4);
    }
  });
  const beginMs = performance.now();
  socket.write(REQUEST);
  let outcome = '';
  socket.once('close', () => {
    outcome = 'cut off';
  });
  while (received < ANSWER_BYTES && outcome === '') await pause(20);
  t.equal(outcome, '');
  t.ok(performance.now() - beginMs > timeoutMs, 'it took longer than the limit');
});

t.test('the admin listener has the same limit', async (t) => {
  const app = await buildAdminApp({
    logger: createLogger({ name: 'test', level: 'silent' }),
    publicUrl: 'https://example.com',
    description: { title: 'test', version: '1', description: '', serverUrl: 'http://127.0.0.1' },
    checks: {},
    state: { stopping: false },
  });
  t.teardown(() => app.close());
  await app.ready();
  t.ok(app.hasPlugin('tollgate-write-timeout'));
});

async function listen(t: Test, timeoutMs: number) {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com' }));
  t.teardown(() => app.close());
  await app.register(writeTimeout, { timeoutMs });
  const answer = Buffer.alloc(ANSWER_BYTES);
  app.get('/', async (_request, reply) => reply.type('application/octet-stream').send(answer));
  app.get('/small', async () => 'x');
  let count = 0;
  app.server.on('connection', () => {
    count += 1;
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  return { port: Number(port), connections, accepted: () => count };
}

async function open(t: Test, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  // A cut connection is an error on this side.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
