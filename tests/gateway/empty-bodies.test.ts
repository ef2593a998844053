// A gateway with any framing of requests without a body: routes that need no body serve them.

import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { freePort } from '@tollgate/test-support/free-port.js';
import t from 'tap';
import { KEYS } from '../monitoring/site-traffic.js';
import { type DocumentedSite, LISTENERS, type Operation, startDocumentedSite } from './documented-site.js';
import { runCaddy } from './gateway-programs.js';

const ORIGIN = 'http://localhost:8080';

/** Credentials for a served request: a bearer valid on every listener, and a session cookie. */
interface Credentials {
  readonly authorization: string;
  readonly cookie: string;
}

type Send = (operation: Operation, credentials: Credentials) => Promise<{ status: number; code: unknown }>;

/** Logs a user in with an application's code: no password is hashed. */
async function signIn({ at, system }: DocumentedSite): Promise<{ token: string; cookie: string }> {
  const json = { 'content-type': 'application/json', origin: ORIGIN };
  const code = await fetch(`http://${at.sessionAdmin}/users/1/sign-in-codes`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${KEYS.SESSION_API_KEY}` },
    body: JSON.stringify({ origin: system.address }),
  });
  const signedIn = await fetch(`http://${at.session}/login/code`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ code: ((await code.json()) as { code: string }).code }),
  });
  const cookies = signedIn.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  const cookie = cookies.find((each) => /^refreshToken=./.test(each)) ?? '';
  return { token: ((await signedIn.json()) as { accessToken: string }).accessToken, cookie };
}

function readAnswer(status: unknown, body: string) {
  return { status: Number(status), code: body.startsWith('{') ? JSON.parse(body).code : undefined };
}

/** Sends a request as bytes, without a gateway. */
function sendRaw(site: DocumentedSite, framing: string, body = ''): Send {
  return async ({ listener, method, path }, { authorization, cookie }) => {
    const socket = connect(Number(site.at[listener].split(':')[1]), '127.0.0.1');
    const headers = `Host: x\r\nAuthorization: ${authorization}\r\nCookie: ${cookie}\r\nConnection: close\r\n`;
    socket.write(`${method} ${path} HTTP/1.1\r\n${headers}${framing}\r\n${body}`);
    const answer = await text(socket);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
    return readAnswer(status, answer.slice(answer.indexOf('\r\n\r\n') + 4));
  };
}

/** Sends a request over HTTP/2, which has no lengths, to the proxy of its listener. */
function sendHttp2(ports: Readonly<Record<Operation['listener'], number>>): Send {
  return async ({ listener, method, path }, { authorization, cookie }) => {
    const session = connectHttp2(`http://localhost:${ports[listener]}`);
    const request = session.request(
      { ':method': method, ':path': path, authorization, cookie },
      { endStream: false },
    );
    request.end();
    const [headers] = await once(request, 'response');
    const body = await text(request);
    session.close();
    return readAnswer(headers[':status'], body);
  };
}

t.test('every route that needs no body serves a request without one, in any framing', async (t) => {
  const site = await startDocumentedSite(t, { PUBLIC_URL: ORIGIN });
  const ports = Object.fromEntries(
    await Promise.all(LISTENERS.map(async (name) => [name, await freePort()])),
  );
  const servers = LISTENERS.map(
    (name) => `http://localhost:${ports[name]} {\n\treverse_proxy ${site.at[name]}\n}`,
  );
  const options = '{\n\tadmin off\n\tservers {\n\t\tprotocols h1 h2c\n\t}\n}';
  await runCaddy(t, [options, ...servers].join('\n'), {}, ports.challengeAdmin);

  const chunked = 'Transfer-Encoding: chunked\r\n';
  const type = (name: string) => `Content-Type: ${name}\r\n`;
  const ways: Record<string, Send> = {
    'chunks without a byte': sendRaw(site, chunked, '0\r\n\r\n'),
    'chunks of a type that is not read': sendRaw(site, chunked + type('text/plain'), '0\r\n\r\n'),
    'chunks of JSON': sendRaw(site, chunked + type('application/json'), '0\r\n\r\n'),
    'a length of zero and an invalid type': sendRaw(site, `Content-Length: 0\r\n${type('nonsense')}`),
    'a type alone': sendRaw(site, type('application/octet-stream')),
    'Caddy, which frames what arrives over HTTP/2': sendHttp2(ports),
  };
  const without = site.operations.filter(
    ({ method, hasBody }) => !hasBody && !['GET', 'HEAD'].includes(method),
  );
  t.ok(without.length >= 9, `${without.length} routes`);
  for (const operation of without) {
    const { listener, method, path } = operation;
    const name = `${listener}: ${method} ${path}`;
    const send = async (way: Send) => {
      const { token, cookie } = await signIn(site);
      const authorization = `Bearer ${listener === 'sessionAdmin' ? KEYS.SESSION_API_KEY : token}`;
      return way(operation, { authorization, cookie });
    };
    const plain = await send(sendRaw(site, ''));
    t.ok(plain.status < 500 && plain.status !== 415, `${name} ${plain.status} ${plain.code}`);
    for (const [way, sendIt] of Object.entries(ways))
      t.strictSame(await send(sendIt), plain, `${name}: ${way}`);
  }
});
