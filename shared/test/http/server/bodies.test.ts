// Request bodies: without bytes, and answered before their end.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import errorHandler from '../../../src/http/errors/error-handler.js';
import { OriginRefused, refuse } from '../../../src/http/errors/errors.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import type { Closing } from '../../../src/http/server/closing.js';
import { dropEmptyBody } from '../../../src/http/server/json-bodies.js';
import { serverResponse } from '../../../src/http/server/responses.js';
import { serverOptions } from '../../../src/http/server/server-options.js';
import { buildSharedApp } from '../shared-app.js';

const FRAMINGS = {
  'no framing': ['', ''],
  'a length of zero': ['Content-Length: 0\r\n', ''],
  'chunks, none of which has a byte': ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
} as const;

const TYPES = [
  '',
  ...['application/json', 'text/plain', 'application/octet-stream', 'nonsense', '/'].map(
    (type) => `Content-Type: ${type}\r\n`,
  ),
  'Content-Type: multipart/form-data; boundary=x\r\n',
  'Content-Encoding: gzip\r\n',
];

async function listen(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
}

/** Sends a request's head, and its body once the head has arrived. */
async function send(app: FastifyInstance, port: number, head: string, body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const arrived = once(app.server, 'request');
  socket.write(`${head}Connection: close\r\n\r\n`);
  await arrived;
  await turn();
  if (body !== '') socket.write(body);
  return text(socket);
}

t.test('a route that needs no body accepts an empty one of every framing and type', async (t) => {
  const { app } = await buildSharedApp(t);
  const port = await listen(app);
  for (const [name, [framing, body]] of Object.entries(FRAMINGS)) {
    for (const type of TYPES) {
      const head = `POST /no-body HTTP/1.1\r\nHost: x\r\n${type}${framing}`;
      const apart = await send(app, port, head, body);
      t.match(apart, /^HTTP\/1\.1 200 [\s\S]*\{"body":null\}$/, `${name}, ${type}`);
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}Connection: close\r\n\r\n${body}`);
      t.match(await text(socket), /^HTTP\/1\.1 200 [\s\S]*\{"body":null\}$/, `${name}, ${type}, at once`);
    }
  }
});

t.test('a body with bytes is read as usual, in any number of pieces', async (t) => {
  const { app } = await buildSharedApp(t);
  const port = await listen(app);
  const chunked = 'POST /no-body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  const json = `${chunked}Content-Type: application/json\r\n`;
  const body = '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n';
  t.match(await send(app, port, json, body), /\{"body":\{"a":1\}\}$/);
  t.match(await send(app, port, chunked, body), /^HTTP\/1\.1 415 /);
  t.match(await send(app, port, json, '1\r\n \r\n0\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*malformed_json/);
});

t.test('a route that needs a body names the missing body, not the type', async (t) => {
  const { app } = await buildSharedApp(t);
  const port = await listen(app);
  for (const type of TYPES) {
    const head = `POST /form HTTP/1.1\r\nHost: x\r\n${type}Transfer-Encoding: chunked\r\n`;
    t.match(await send(app, port, head, '0\r\n\r\n'), /^HTTP\/1\.1 422 [\s\S]*validation_failed/, type);
  }
});

t.test('a client that disconnects before the first byte of its body leaves no resources', async (t) => {
  const { app, log } = await buildSharedApp(t);
  const port = await listen(app);
  const socket = connect(port, '127.0.0.1');
  const arrived = once(app.server, 'request');
  socket.write('POST /no-body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  await arrived;
  socket.destroy();
  await app.close();
  t.notOk(log.lines().some(({ level }) => level === 'error'));
});

t.test('a stream parser gets the whole body', async (t) => {
  const app = Fastify({ logger: false });
  t.teardown(() => app.close());
  app.addHook('preParsing', dropEmptyBody);
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, payload: IncomingMessage) =>
    text(payload),
  );
  app.post('/', async (request) => ({ body: request.body ?? null }));
  const port = await listen(app);
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n';
  const chunked = await send(
    app,
    port,
    `${head}Transfer-Encoding: chunked\r\n`,
    '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
  );
  t.match(chunked, /\{"body":"abc"\}$/);
  t.match(await send(app, port, `${head}Content-Length: 3\r\n`, 'abc'), /\{"body":"abc"\}$/);
});

// A response before the end of the request body: the sender receives it, and its connection is not reset.

const LIMITS = { bytes: 1_048_576, ms: 60_000 };

/** A server with routes that reject a request before the end of its body, each in another way. */
async function listenRejecting(
  t: Test,
  { state, limits = LIMITS }: { state?: Closing; limits?: typeof LIMITS } = {},
) {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const options = serverOptions({ logger, publicUrl: 'https://example.com' });
  const http = { ...options.http, ServerResponse: serverResponse(state, limits) };
  const app = Fastify({ ...options, http }) as FastifyInstance;
  t.teardown(() => app.close());
  await app.register(errorHandler);
  const onRequest = async () => {
    throw refuse(OriginRefused);
  };
  let handled = 0;
  app.post('/too-large', async () => 'read');
  app.post('/refused', { onRequest }, async () => 'read');
  app.post('/sent', { onRequest: async (_request, reply) => reply.code(204).send() }, async () => {
    handled += 1;
    return 'read';
  });
  app.post('/own', { errorHandler: async () => ({ success: false }) }, async () => 'read');
  app.get('/too-large', async () => 'read');
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { app, port: Number(port), handled: () => handled };
}

/** An open connection, and all received text. @param allowHalfOpen keeps sending after the other side has ended */
async function open(t: Test, port: number, allowHalfOpen = false) {
  let received = '';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  t.teardown(() => socket.destroy());
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    until: async (pattern: RegExp) => {
      while (!pattern.test(received)) await once(socket, 'data');
    },
  };
}

async function write(socket: Socket, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    socket.write(text, (error) => (error ? reject(error) : resolve())),
  );
}

const CASES = {
  'POST /too-large': 413,
  'POST /refused': 403,
  'POST /sent': 204,
  'POST /own': 200,
  'GET /too-large': 200,
  'POST /%zz': 400,
};

t.test(
  'the response is sent at once, the rest of the body is discarded, and the next request is served',
  async (t) => {
    const { port, handled } = await listenRejecting(t);
    for (const [request, status] of Object.entries(CASES)) {
      const { socket, received, until } = await open(t, port);
      const head = `${request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
      await write(socket, `${head}Content-Length: 1000000\r\n\r\n{`);
      await until(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\r\\n\\r\\n`));
      t.notMatch(received(), /connection: close/i, request);
      for (let sent = 1; sent < 1_000_000; sent += 1000)
        await write(socket, ' '.repeat(Math.min(1000, 1_000_000 - sent)));
      await write(socket, 'GET /too-large HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(/HTTP\/1\.1 200 OK[\s\S]*read$/);
      socket.destroy();
    }
    t.equal(handled(), 0, 'a hook that has answered ends the request');
  },
);

t.test('a client that requests a closed connection gets it once its body has been discarded', async (t) => {
  const { port } = await listenRejecting(t);
  for (const [request, status] of Object.entries(CASES)) {
    const { socket, received, until } = await open(t, port);
    let ended = false;
    socket.on('end', () => {
      ended = true;
    });
    // As sent by nginx without `proxy_http_version`.
    await write(
      socket,
      `${request} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{`,
    );
    await until(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\r\\n\\r\\n`));
    await write(socket, ' '.repeat(499_998));
    t.notOk(ended, request);
    await write(socket, '}');
    await once(socket, 'end');
    t.match(received(), /connection: close/i);
  }
});

t.test('a closing listener also discards the body first', async (t) => {
  const { port } = await listenRejecting(t, { state: { closing: true } });
  const { socket, received, until } = await open(t, port);
  await write(socket, 'POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n{');
  await until(/origin_refused/);
  t.match(received(), /connection: close/i);
  await write(socket, ' '.repeat(499_999));
  await once(socket, 'end');
});

t.test('a body beyond the limit is read no further, and its connection closes after a timeout', async (t) => {
  const limits = { ...LIMITS, ms: 500 };
  const { port } = await listenRejecting(t, { limits });
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const framings = ['Content-Length: 1000000000', 'Transfer-Encoding: chunked'];
  const routes = { 'POST /too-large': 413, 'POST /refused': 403, 'GET /too-large': 200 };
  const cases = Object.entries(routes).flatMap((route) =>
    framings.map((framing) => [...route, framing] as const),
  );
  for (const [request, status, framing] of cases) {
    const { socket, received, until } = await open(t, port);
    const startedMs = performance.now();
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    const head = `${request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    await write(socket, `${head}${framing}\r\n\r\n${chunk}${chunk}`);
    await until(/\r\n\r\n/);
    for (let sent = 0; !socket.destroyed && sent < 64; sent++) {
      await write(socket, chunk.repeat(64)).catch(() => socket.destroy());
    }
    await closed;
    t.ok(socket.bytesWritten < 32 * LIMITS.bytes, `${socket.bytesWritten} bytes`);
    t.ok(performance.now() - startedMs >= limits.ms, 'whoever sends has had the time to read the response');
    t.match(received(), new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close`, 'i'), request);
  }
});

t.test(
  'a body that does not arrive closes its connection after a timeout, without a second response',
  async (t) => {
    const { port } = await listenRejecting(t, { limits: { ...LIMITS, ms: 50 } });
    const { socket, received } = await open(t, port);
    await write(socket, 'POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await once(socket, 'close');
    t.equal(received().split('HTTP/1.1').length, 2);
  },
);

t.test('malformed chunks after the response get no second response', async (t) => {
  const { port } = await listenRejecting(t);
  const { socket, received, until } = await open(t, port);
  await write(socket, 'POST /refused HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
  await until(/origin_refused/);
  await write(socket, 'nonsense\r\n');
  await once(socket, 'close');
  t.equal(received().split('HTTP/1.1').length, 2);
});

t.test('a client that disconnects while its body is discarded leaves no resources', async (t) => {
  const { app, port } = await listenRejecting(t);
  const { socket, until } = await open(t, port);
  await write(socket, 'POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await until(/origin_refused/);
  const [peer] = await Promise.all([
    new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))),
  ]);
  t.equal(peer, 1);
  socket.destroy();
  await app.close();
});

t.test(
  'an overlong header gets its response, and the connection is not reset while the rest arrives',
  async (t) => {
    const { port } = await listenRejecting(t);
    const long = `GET /too-large HTTP/1.1\r\nHost: x\r\n${`X-Long: ${'x'.repeat(1000)}\r\n`.repeat(500)}`;
    for (const method of ['header', 'CONNECT']) {
      const { socket, received, until } = await open(t, port, true);
      const ended = once(socket, 'end');
      await write(socket, method === 'CONNECT' ? 'CONNECT /login HTTP/1.1\r\nHost: x\r\n\r\n' : long);
      await until(/\r\n\r\n/);
      for (let sent = 0; sent < 500; sent++) await write(socket, `X-Long: ${'x'.repeat(1000)}\r\n`);
      await ended;
      socket.end();
      await once(socket, 'close');
      t.notOk(socket.errored, method);
      const status = method === 'CONNECT' ? '400 Bad Request' : '431 Request Header Fields Too Large';
      t.match(received(), new RegExp(`^HTTP/1\\.1 ${status}\\r\\n`));
      t.equal(received().split('HTTP/1.1').length, 2, 'one answer');
    }
  },
);

t.test('a client that keeps sending after a malformed request is cut off', async (t) => {
  const { app, port } = await listenRejecting(t);
  const { socket, until } = await open(t, port, true);
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  await write(socket, 'nonsense\r\n\r\n');
  await until(/^HTTP\/1\.1 400 /);
  const startedMs = performance.now();
  while (!socket.destroyed) await write(socket, 'x'.repeat(16_384)).catch(() => socket.destroy());
  await closed;
  t.ok(performance.now() - startedMs < 10_000, 'after a while');
  t.ok(socket.bytesWritten < 32 * LIMITS.bytes, `${socket.bytesWritten} bytes`);
  await app.close();
});
