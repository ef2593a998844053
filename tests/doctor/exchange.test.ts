// One request of doctor: sent headers, read response, and the reason if there is none.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { exchange } from '@tollgate/tools/doctor/exchange.js';
import t, { type Test } from 'tap';

/** Serves on 127.0.0.1. @returns the port, and the requests that came */
async function serve(t: Test, listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

t.test('each Set-Cookie header stays as it is, and other repeated headers are joined', async (t) => {
  const cookies = ['a=1; Path=/refresh; HttpOnly', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
  const { port } = await serve(t, (_request, response) =>
    response.writeHead(200, { 'Set-Cookie': cookies, 'X-Twice': ['1', '2'] }).end('{"code":"x"}'),
  );
  const answer = await exchange('GET', `http://127.0.0.1:${port}/`);
  t.strictSame(answer.cookies, cookies);
  t.equal(answer.headers['x-twice'], '1, 2');
  t.match(answer, { status: 200, text: '{"code":"x"}', json: { code: 'x' }, localAddress: '127.0.0.1' });
});

t.test('the host of the URL is requested from the chosen address', async (t) => {
  const { port, requests } = await serve(t, (_request, response) => response.end());
  const url = `http://tollgate.example:${port}/a?b=c`;
  const answer = await exchange('POST', url, { connect: '127.0.0.1', localAddress: '127.0.0.3', body: '{}' });
  t.match(answer, { status: 200, localAddress: '127.0.0.3' });
  t.match(requests[0], {
    method: 'POST',
    url: '/a?b=c',
    headers: {
      host: `tollgate.example:${port}`,
      connection: 'close',
      'content-length': '2',
      'user-agent': 'tollgate-doctor',
    },
  });
});

t.test('a redirect is a response, and is not followed', async (t) => {
  const { port, requests } = await serve(t, (_request, response) =>
    response.writeHead(302, { location: '/elsewhere' }).end(),
  );
  const answer = await exchange('GET', `http://127.0.0.1:${port}/`);
  t.match(answer, { status: 302, headers: { location: '/elsewhere' } });
  t.equal(requests.length, 1);
});

t.test('a compressed body is read, and its header is kept', async (t) => {
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const { port } = await serve(t, (request, response) => {
    const name = request.url?.slice(1) as keyof typeof encoders;
    response.writeHead(200, { 'content-encoding': name }).end(encoders[name]('{"a":1}'));
  });
  for (const name of Object.keys(encoders)) {
    const answer = await exchange('GET', `http://127.0.0.1:${port}/${name}`);
    t.match(answer, { json: { a: 1 }, headers: { 'content-encoding': name } });
  }
});

t.test('any failure is status 0 with a reason', async (t) => {
  const reasonOf = async (url: string, timeoutMs?: number) => {
    const { status, text } = await exchange('GET', url, { timeoutMs });
    t.equal(status, 0);
    return text;
  };
  t.match(await reasonOf('http://127.0.0.1:1/'), /ECONNREFUSED/);
  t.match(await reasonOf('http://nowhere.invalid/'), /(ENOTFOUND|EAI_AGAIN) nowhere\.invalid/);

  const silent = await serve(t, () => {});
  t.equal(await reasonOf(`http://127.0.0.1:${silent.port}/`, 200), 'no response in time');

  const slow = await serve(t, (_request, response) => response.writeHead(200).write('x'));
  t.equal(await reasonOf(`http://127.0.0.1:${slow.port}/`, 200), 'no response in time');

  const endless = await serve(t, (_request, response) => response.end(Buffer.alloc(1024 * 1024 + 1)));
  t.equal(await reasonOf(`http://127.0.0.1:${endless.port}/`), 'the response does not end');

  const broken = await serve(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  );
  t.match(await reasonOf(`http://127.0.0.1:${broken.port}/`), /incorrect header check/);

  const closing = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(closing, 'listening');
  t.teardown(() => closing.close());
  t.not(await reasonOf(`http://127.0.0.1:${(closing.address() as AddressInfo).port}/`), '');
});
