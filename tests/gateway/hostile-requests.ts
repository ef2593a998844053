// An attacker's requests to a gateway: as bytes, since no client would write them, and how they are sent.

import { connect } from 'node:net';

/** One request of an attacker. */
export interface HostileRequest {
  readonly name: string;
  readonly method?: string;
  /** Replaces the path that the gateway lets through. */
  readonly path?: string;
  /** Lines of headers. */
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Sends an HTTP/2 request after the first response, as if the gateway had opened a tunnel to the application. */
  readonly tunnel?: boolean;
  /** Replaces all of the above: HTTP/2 from the first byte. */
  readonly http2?: Buffer;
}

/** The path of the request in the tunnel, and of other requests that no gateway must let through. */
export const TUNNELLED = '/tunnelled';
/** A user id that no gateway has verified. */
export const FORGED_ID = '31337';

const SETTINGS = 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA';
const HANDSHAKE = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const UPGRADE = 'Connection: Upgrade, HTTP2-Settings';

/** The header lines of an honest WebSocket handshake. */
export const WEBSOCKET = ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', ...HANDSHAKE];

const upgrades: readonly HostileRequest[] = (
  [
    ['h2c', [UPGRADE, 'Upgrade: h2c', SETTINGS]],
    ['h2c in capitals', [UPGRADE, 'UPGRADE: H2C', SETTINGS]],
    ['h2c without settings', ['Connection: upgrade', 'Upgrade: h2c']],
    ['h2c with Connection twice', ['Connection: close', 'Connection: Upgrade', 'Upgrade: h2c', SETTINGS]],
    ['h2c before websocket', [UPGRADE, 'Upgrade: h2c, websocket', SETTINGS, ...HANDSHAKE]],
    ['h2c after websocket', [UPGRADE, 'Upgrade: websocket, h2c', SETTINGS, ...HANDSHAKE]],
    ['h2c, and websocket in a separate header', [UPGRADE, 'Upgrade: h2c', 'Upgrade: websocket', SETTINGS]],
    ['websocket, and h2c in a separate header', [UPGRADE, 'Upgrade: websocket', 'Upgrade: h2c', SETTINGS]],
    ['h2c behind a tab', [UPGRADE, 'Upgrade:\th2c', SETTINGS]],
    ['h2c behind a vertical tab', [UPGRADE, 'Upgrade: \x0bh2c', SETTINGS]],
    ['h2c on a folded line', [UPGRADE, 'Upgrade:\r\n h2c', SETTINGS]],
    ['h2c with a space before the colon', [UPGRADE, 'Upgrade : h2c', SETTINGS]],
    ['h2c named beside websocket', ['Connection: Upgrade', 'Upgrade: websocket', 'X-Upgrade: h2c', SETTINGS]],
    ['TLS', [UPGRADE, 'Upgrade: TLS/1.2, HTTP/1.1']],
    ['a protocol of the future', [UPGRADE, 'Upgrade: HTTP/3']],
  ] as const
).flatMap(([name, headers]) => [
  { name: `upgrade to ${name}`, headers, tunnel: true },
  { name: `upgrade to ${name}, asked by OPTIONS`, method: 'OPTIONS', headers, tunnel: true },
]);

const identities = [
  'X-Auth-User-Id',
  'x-auth-user-id',
  'X-AUTH-USER-ID',
  'X_Auth_User_Id',
  'x_auth_user_id',
  'X-Auth_User-Id',
  'X_Auth-User-Id',
  'X-Auth-User_Id',
  'X.Auth.User.Id',
  'X-Auth-User-Id ',
  'X-Auth-User-Id\t',
];

const forged: readonly HostileRequest[] = [
  ...identities.map((name) => ({
    name: `${JSON.stringify(name)} forged`,
    headers: [`${name}: ${FORGED_ID}`],
  })),
  {
    name: 'an identity forged three times',
    headers: ['X-Auth-User-Id: 1', `x-auth-user-id: ${FORGED_ID}`, `X_AUTH_USER_ID: ${FORGED_ID}`],
  },
  { name: 'an identity on a folded line', headers: ['X-Other: 1', ` X-Auth-User-Id: ${FORGED_ID}`] },
  { name: 'an identity after a bare line feed', headers: [`X-Other: 1\nX-Auth-User-Id: ${FORGED_ID}`] },
  { name: 'an identity after a bare carriage return', headers: [`X-Other: 1\rX-Auth-User-Id: ${FORGED_ID}`] },
  ...[
    'X-Original-URL',
    'X-Rewrite-URL',
    'x-original-url',
    'X_Original_URL',
    'X.Original.URL',
    'X-Rewrite_URL',
  ].map((name) => ({
    name: `${name} names another path`,
    headers: [`${name}: ${TUNNELLED}`],
  })),
];

const hopByHop: readonly HostileRequest[] = [
  ...[
    'X-Auth-User-Id',
    'close, X-Auth-User-Id, X-Auth-Session-Id, X-Auth-User-Email, X-Auth-Time, X-Auth-Amr',
    'keep-alive, x-auth-user-id',
    'Upgrade, X-Auth-User-Id',
    'X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Uri, X-Forwarded-Method',
    'Host',
    'Authorization, Cookie',
  ].map((value) => ({ name: `Connection: ${value}`, headers: [`Connection: ${value}`] })),
  { name: 'Connection twice', headers: ['Connection: keep-alive', 'Connection: X-Auth-User-Id'] },
  {
    name: 'a handshake that names an identity',
    headers: ['Connection: Upgrade, X-Auth-User-Id', ...WEBSOCKET.slice(1)],
  },
  { name: 'Proxy-Connection', headers: ['Proxy-Connection: X-Auth-User-Id'] },
  { name: 'Keep-Alive', headers: ['Connection: Keep-Alive, X-Auth-User-Id', 'Keep-Alive: X-Auth-User-Id'] },
  { name: 'TE', headers: ['Connection: TE, X-Auth-User-Id', 'TE: trailers'] },
  {
    name: 'an identity as a trailer',
    method: 'POST',
    headers: ['Transfer-Encoding: chunked', 'Trailer: X-Auth-User-Id'],
    body: `1\r\na\r\n0\r\nX-Auth-User-Id: ${FORGED_ID}\r\n\r\n`,
  },
];

/** A request that an intermediary may take for a body. */
const INNER = `GET ${TUNNELLED} HTTP/1.1\r\nHost: localhost\r\nX-Auth-User-Id: ${FORGED_ID}\r\n\r\n`;

const smuggled: readonly HostileRequest[] = [
  {
    name: 'a length and chunks',
    method: 'POST',
    headers: [`Content-Length: ${5 + INNER.length}`, 'Transfer-Encoding: chunked'],
    body: `0\r\n\r\n${INNER}`,
  },
  {
    name: 'chunks in an odd spelling',
    method: 'POST',
    headers: [`Content-Length: ${5 + INNER.length}`, 'Transfer-Encoding: \x0bchunked'],
    body: `0\r\n\r\n${INNER}`,
  },
  {
    name: 'two lengths',
    method: 'POST',
    headers: ['Content-Length: 1', `Content-Length: ${INNER.length}`],
    body: INNER,
  },
  { name: 'a length of a GET', headers: [`Content-Length: ${INNER.length}`], body: INNER },
  { name: 'the preface of HTTP/2', http2: http2Request(3, TUNNELLED) },
  { name: 'an extended CONNECT to h2c', http2: http2Request(1, TUNNELLED, 'h2c') },
];

/** All attacks on a gateway. */
export const hostileRequests: readonly HostileRequest[] = [...upgrades, ...forged, ...hopByHop, ...smuggled];

/** Spellings of paths below `/open/` that a site may read as other paths. */
export const hostilePaths: readonly string[] = [
  '/open/../wanted',
  '/open/%2e%2e/wanted',
  '/open/..%2fwanted',
  '/open/.%2e/wanted',
  '/open/%252e%252e/wanted',
  '/open/..;/wanted',
  '/open/..\\wanted',
  '/open/..%5cwanted',
  '/open//../wanted',
  '/open/./../wanted',
  '/open/a/../../wanted',
  '/open%2f..%2fwanted',
  '//wanted',
  '/open/..%00/wanted',
  '/open/..%0a/wanted',
  '/open/..%20/wanted',
  '/open/%20../wanted',
  '/open/..%c2%a0/wanted',
  '/open/..%09/wanted',
  '/open/.%e2%80%8b./wanted',
  '/open/%ef%bc%8e%ef%bc%8e/wanted',
  '/open/%e2%80%a5/wanted',
  '/open/..%ef%bc%8fwanted',
  '/open/..%e2%88%95wanted',
  '/OPEN/a',
  '/open/..?/../wanted',
  '/open/..#/../wanted',
  'http://other.example/open/a',
  'open/a',
  '*',
];

/**
 * Writes a request to a gateway and waits for its response.
 * @param options.host the Host header
 * @param options.path let through by the gateway
 * @param options.headers lines that admit the request
 * @returns the received part of the response; all responses if there are several on the connection
 */
export async function sendHostile(
  port: number,
  request: HostileRequest,
  options: { readonly host: string; readonly path: string; readonly headers: readonly string[] },
): Promise<string> {
  const { method = 'GET', path = options.path, headers = [], body = '', http2, tunnel } = request;
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${options.host}`, ...options.headers, ...headers];
  const bytes = http2 ?? Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  return await exchange(port, bytes, tunnel ? http2Request(3, TUNNELLED) : undefined);
}

/**
 * Writes bytes and reads until the other side closes, or is silent for a while after a response.
 * @param then written after the head of the first response
 */
export async function exchange(port: number, bytes: Buffer, then?: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let rest = then;
  return await new Promise((resolve) => {
    const finish = () => {
      clearTimeout(silence);
      socket.destroy();
      resolve(answer);
    };
    let silence = setTimeout(finish, 10_000);
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      // An HTTP/2 response has no head with this end.
      if (answer.startsWith('HTTP/1') && !answer.includes('\r\n\r\n')) return;
      if (rest !== undefined) socket.write(rest);
      rest = undefined;
      clearTimeout(silence);
      silence = setTimeout(finish, 200);
    });
    socket.on('error', () => {}).on('close', finish);
    socket.write(bytes);
  });
}

/**
 * Returns a connection preface and one HTTP/2 request, with a forged identity.
 * @param protocol makes it an extended CONNECT (RFC 8441)
 */
function http2Request(stream: number, path: string, protocol?: string): Buffer {
  const method = protocol === undefined ? 'GET' : 'CONNECT';
  const headers: [string, string][] = [
    [':method', method],
    ...(protocol === undefined ? [] : [[':protocol', protocol] as [string, string]]),
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['x-auth-user-id', FORGED_ID],
  ];
  const text = (value: string) => Buffer.from([value.length, ...Buffer.from(value)]);
  // Literal header fields that are never indexed (RFC 7541, 6.2.3), without Huffman coding.
  const block = Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.from([0x10]), text(name), text(value)]),
  );
  const endOfHeaders = 0x4;
  const endOfStream = protocol === undefined ? 0x1 : 0;
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(0x4, 0, 0, Buffer.alloc(0)),
    frame(0x1, endOfHeaders + endOfStream, stream, block),
  ]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
