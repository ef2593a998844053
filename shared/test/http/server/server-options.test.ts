// Slow and huge requests: the server's behaviour below the routes.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { createLogger } from '../../../src/http/observability/logger.js';
import { forwardedHeaders, serverOptions } from '../../../src/http/server/server-options.js';
import { en } from '../../../src/messages/en.js';
import { buildSharedApp, collectLog } from '../shared-app.js';

async function listen(t: Test) {
  const { app } = await buildSharedApp(t);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { app, send: (request: string) => exchange(Number(port), request) };
}

function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(request);
  return text(socket);
}

t.test('headers, requests and idle connections have their timeouts', async (t) => {
  const { app } = await listen(t);
  t.equal(app.server.headersTimeout, 10_000);
  t.equal(app.server.requestTimeout, 15_000);
  t.equal(app.server.keepAliveTimeout, 75_000);
});

t.test('slow headers, and a silent connection, are cut off with 408', async (t) => {
  const options = serverOptions({
    logger: createLogger({ name: 'test', level: 'trace' }, collectLog().stream),
    publicUrl: 'https://example.com',
  });
  // The same mechanism with timeouts short enough for a test.
  const http = { ...options.http, headersTimeout: 50, connectionsCheckingInterval: 20 };
  const app = Fastify({ ...options, http, requestTimeout: 60 });
  t.teardown(() => app.close());
  app.post('/', async () => 'x');
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  for (const request of [
    '',
    'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ]) {
    const answer = await exchange(Number(port), request);
    t.match(
      answer,
      /^HTTP\/1\.1 408 Request Timeout\r\nCache-Control: no-store\r\n[\s\S]*"code":"request_timeout"\}$/,
      JSON.stringify(request),
    );
  }
});

t.test(
  'headers over 16 KiB are 431, bytes that are not HTTP are 400, and neither may be stored',
  async (t) => {
    const { send } = await listen(t);
    const huge = await send(`GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'x'.repeat(20_000)}\r\n\r\n`);
    t.match(huge, /^HTTP\/1\.1 431 .*\r\nCache-Control: no-store\r\n/);
    const bad = await send('hunter2\r\n\r\n');
    t.match(bad, /^HTTP\/1\.1 400 .*\r\nCache-Control: no-store\r\n/);
    t.notMatch(bad, 'hunter2');
    t.match(JSON.parse(bad.split('\r\n\r\n')[1] ?? ''), { code: 'bad_request', message: en.bad_request });
    const smuggled = await send(
      'POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    t.match(smuggled, /^HTTP\/1\.1 400 /);
  },
);

t.test('a body with a huge declared length is rejected before it is sent', async (t) => {
  const { app } = await buildSharedApp(t);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    'POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n',
  );
  const [answer] = await once(socket, 'data');
  socket.destroy();
  t.match(String(answer), /^HTTP\/1\.1 413 [\s\S]*\r\nconnection: close\r\n/i);
  t.match(String(answer), /"code":"body_too_large"/);
});

t.test('a chunked body is rejected once it exceeds the limit', async (t) => {
  const { send } = await listen(t);
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const answer = await send(
    `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
  );
  t.match(answer, /^HTTP\/1\.1 413 /);
});

t.test('a forwarded address counts only if sent by a trusted proxy', async (t) => {
  const addressSeen = async (trustProxy: string[] | undefined, remoteAddress: string) => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com', trustProxy }));
    app.get('/', async (request) => request.ip);
    const response = await app.inject({
      url: '/',
      remoteAddress,
      headers: { 'x-forwarded-for': '203.0.113.5' },
    });
    await app.close();
    return response.body;
  };
  t.equal(await addressSeen(undefined, '127.0.0.1'), '127.0.0.1');
  t.equal(await addressSeen([], '127.0.0.1'), '127.0.0.1');
  t.equal(await addressSeen(['loopback'], '127.0.0.1'), '203.0.113.5');
  t.equal(await addressSeen(['loopback'], '10.0.0.1'), '10.0.0.1');
  t.equal(await addressSeen(['uniquelocal', '192.0.2.0/24'], '192.0.2.7'), '203.0.113.5');
});

t.test('a thousand headers hid the address from a proxy that sorts headers by name', async (t) => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const trustProxy = ['loopback'];
  const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com', trustProxy }));
  t.teardown(() => app.close());
  await app.register(forwardedHeaders, { trustProxy });
  app.get('/', async ({ ip }) => ip);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const many = 'w:\r\n'.repeat(3_000);
  const headers = `Host: x\r\nConnection: close\r\n${many}X-Forwarded-For: 203.0.113.5\r\n`;
  const answer = await exchange(Number(port), `GET / HTTP/1.1\r\n${headers}\r\n`);
  t.match(answer, /^HTTP\/1\.1 200 [\s\S]*\r\n203\.0\.113\.5$/);
});

t.test('each address is compared with the trusted proxies, any number of times', async (t) => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const trustProxy = ['loopback', '192.0.2.0/24'];
  const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com', trustProxy }));
  app.get('/', async ({ ip, host }) => `${ip} ${host}`);
  const seen = async (remoteAddress: string, ...forwarded: string[]) => {
    const headers = { 'x-forwarded-for': forwarded.join(', '), 'x-forwarded-host': 'forwarded.example' };
    return (await app.inject({ url: '/', remoteAddress, headers })).body;
  };
  for (let round = 0; round < 2; round++) {
    t.equal(await seen('127.0.0.1', '203.0.113.5'), '203.0.113.5 forwarded.example');
    t.equal(await seen('::ffff:127.0.0.1', '203.0.113.5'), '203.0.113.5 forwarded.example');
    t.equal(await seen('203.0.113.5', '127.0.0.1'), '203.0.113.5 localhost:80');
    t.equal(await seen('127.0.0.1', '10.0.0.9', '203.0.113.5', '192.0.2.7'), '203.0.113.5 forwarded.example');
    t.equal(await seen('127.0.0.1', '10.0.0.9', 'x'.repeat(5000)), `${'x'.repeat(5000)} forwarded.example`);
  }
  await app.close();
});

t.test(
  'a request with incomplete headers at the start of closing is served, and its connection closes',
  async (t) => {
    const { app } = await buildSharedApp(t);
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const accepted = once(app.server, 'connection');
    const socket = connect(Number(port), '127.0.0.1');
    const answer = text(socket);
    const begun = 'GET /things/abc HTTP/1.1\r\nHost: x\r\n';
    socket.write(begun);
    const [peer] = await accepted;
    while (peer.bytesRead < begun.length) await turn();
    const closed = app.close();
    while (app.server.listening) await turn();
    socket.write('\r\n');
    t.match(await answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n/i);
    await closed;
  },
);

t.test("a request id is unique over both listeners, and never the client's", async (t) => {
  const log = collectLog();
  const logger = createLogger({ name: 'test', level: 'info' }, log.stream);
  const options = { logger, publicUrl: 'https://example.com' };
  for (const app of [Fastify(serverOptions(options)), Fastify(serverOptions(options))]) {
    t.teardown(() => app.close());
    for (let i = 0; i < 3; i++)
      await app.inject({ url: '/', headers: { 'request-id': 'mine', 'x-request-id': 'mine' } });
  }
  const ids = log.lines().map(({ reqId }) => reqId);
  t.equal(ids.length, 6);
  t.equal(new Set(ids).size, 6, ids.join());
  t.notOk(ids.includes('mine'));
});
