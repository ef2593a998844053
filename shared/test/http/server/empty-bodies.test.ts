// A body without bytes is no body, with any framing and content type.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import t from 'tap';
import { dropEmptyBody } from '../../../src/http/server/json-bodies.js';
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
