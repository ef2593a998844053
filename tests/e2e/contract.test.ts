// Every documented route over HTTP: HEAD as GET without effects, 405 for other methods, one error format; and to requests
// of every kind only documented responses.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { openDatabase } from '@tollgate/shared/store';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import fc from 'fast-check';
import t from 'tap';
import {
  type DocumentedSite,
  LISTENERS,
  type Listener,
  type Operation,
  SITES,
  startDocumentedSite,
} from '../gateway/documented-site.js';
import { KEYS } from '../monitoring/site-traffic.js';
import { type Answered, ask } from '../throw-away-service.js';
import { type Received, undocumented } from './contract.js';

const ORIGIN = 'http://localhost:8080';
const JSON_TYPE = { 'content-type': 'application/json' };

const data = tempDir(t);
const site = await startDocumentedSite(t, { PUBLIC_URL: ORIGIN, DATA_DIR: data, SITES });
const token = await signIn(site);

/** Logs a user in with an application's code: no password is hashed. */
async function signIn({ at, system }: DocumentedSite): Promise<string> {
  const json = { ...JSON_TYPE, origin: ORIGIN };
  const code = await ask(`http://${at.sessionAdmin}/users/1/sign-in-codes`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${KEYS.SESSION_API_KEY}` },
    body: JSON.stringify({ origin: system.address }),
  });
  const signedIn = await ask(`http://${at.session}/login/code`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ code: JSON.parse(code.text).code }),
  });
  return JSON.parse(signedIn.text).accessToken;
}

const bearers: Readonly<Record<Listener, string>> = {
  session: token,
  sessionAdmin: KEYS.SESSION_API_KEY,
  challenge: '',
  challengeAdmin: KEYS.HOST_API_KEY,
};

function send(
  listener: Listener,
  method: string,
  path: string,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answered> {
  const sent = {
    authorization: `Bearer ${bearers[listener]}`,
    'x-forwarded-host': 'gated.test',
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  return ask(`http://${site.at[listener]}${path}`, { method, headers: sent, body });
}

/** Keys that the services write by themselves every few seconds, and at each readiness probe. */
const BY_THEMSELVES = /^machine:|:(?:ready|options|keys|\{load\})$/;

/** Rows that requests have left in the services' files. */
function stored(): Record<string, string> {
  const found: Record<string, string> = {};
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(?:db|sqlite)$/.test(name))) {
    const database = openDatabase(join(data, file), 5_000);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    for (const { name } of tables as { name: string }[]) {
      const rows = database.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[];
      for (const row of rows.filter(({ key }) => !BY_THEMSELVES.test(String(key))))
        found[`${file} ${name} ${Object.values(row)[0]}`] = JSON.stringify(row);
    }
    database.close();
  }
  return found;
}

/** Counters of both services, except requests and gate checks: a HEAD counts as one, and issues nothing. */
async function counted(): Promise<string[]> {
  const admins = ['sessionAdmin', 'challengeAdmin'] as const;
  const pages = await Promise.all(admins.map((listener) => send(listener, 'GET', '/metrics')));
  return pages.flatMap(({ text }) =>
    text
      .split('\n')
      .filter((line) => /^tollgate_\w+_total/.test(line) && !/_(?:http|gate_checks)_/.test(line)),
  );
}

const reads = site.operations.filter(({ method }) => method === 'GET');

/** A live image, which GET draws. */
async function liveImage(path: string): Promise<Operation> {
  const issued = JSON.parse((await send('challenge', 'GET', path)).text) as { url: string };
  return { listener: 'challenge', method: 'GET', path: new URL(issued.url).pathname, hasBody: false };
}

const RUNS = 60;

const parameter = fc.constantFrom(
  'a'.repeat(40),
  '0'.repeat(16),
  'fr',
  'xx',
  'shop',
  'none',
  '1',
  '%00',
  '%zz',
);
const key = fc.constantFrom('', KEYS.SESSION_API_KEY, KEYS.HOST_API_KEY, 'forged');
const headers = fc.record(
  {
    authorization: key.map((value) => `Bearer ${value}`),
    origin: fc.constantFrom(ORIGIN, 'https://shop.example', 'https://evil.example', 'null'),
    cookie: fc.constantFrom('refreshToken=x', 'refreshToken=x; refreshToken=y', 'x=1'),
    accept: fc.constantFrom('text/html', 'application/json', '*/*'),
    'accept-language': fc.constantFrom('fr', 'zz', 'de, en'),
    'content-encoding': fc.constant('gzip'),
    'x-forwarded-host': fc.constantFrom('gated.test', 'other.test'),
    'if-none-match': fc.constant('*'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin'),
    'x-requested-with': fc.constant('XMLHttpRequest'),
  },
  { requiredKeys: [] },
);
const field = fc.constantFrom(
  ...['email', 'password', 'code', 'pow_token', 'pow_nonce', 'captcha_token', 'captcha', 'preset', 'scope'],
  ...['key', 'secret', 'response', 'sitekey', 'origin', 'submission', 'old_password', 'new_password', 'x'],
);
const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.jsonValue({ maxDepth: 1 }));
const fields = fc.dictionary(field, value, { maxKeys: 6 });
/** The fields of a form. */
const form = fc
  .dictionary(field, fc.string({ unit: 'grapheme', maxLength: 50 }), { maxKeys: 6 })
  .map((each) => String(new URLSearchParams(each)));
const body = fc.oneof(
  fc.record({ type: fc.constant('application/json'), text: fields.map((each) => JSON.stringify(each)) }),
  fc.record({
    type: fc.constant('application/x-www-form-urlencoded'),
    text: form,
  }),
  fc.record({
    type: fc.constantFrom(
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'text/xml',
      '',
    ),
    text: fc.constantFrom('', '{', '[]', '"x"', 'x=1', '--x--', 'x'.repeat(70_000)),
  }),
);
const query = fc.oneof(
  fc.constant(''),
  form.map((each) => `?${each}`),
);

t.test('HEAD gets the response of GET on every route, and nothing is issued, drawn or counted', async (t) => {
  t.ok(reads.length >= 35, `${reads.length} routes`);
  const images = [await liveImage('/api/captcha'), await liveImage('/api/captcha/sites/shop')];
  const asked: Operation[] = [
    ...[...reads, ...images],
    ...['/health/live', '/health/ready', '/metrics', '/openapi.json'].flatMap((path) =>
      (['sessionAdmin', 'challengeAdmin'] as const).map((listener) => ({
        listener,
        method: 'GET',
        path,
        hasBody: false,
      })),
    ),
    { listener: 'challenge', method: 'GET', path: '/api/captcha?preset=none', hasBody: false },
    { listener: 'session', method: 'GET', path: '/nothing', hasBody: false },
  ];
  // The first use of an access token is recorded for any method.
  await send('session', 'GET', '/profile');
  await send('session', 'GET', '/sessions');
  const before = { stored: stored(), counted: await counted() };
  t.ok(Object.keys(before.stored).length > 2, Object.keys(before.stored).join());
  const heads = [];
  for (const { listener, path } of asked) heads.push(await send(listener, 'HEAD', path));
  t.strictSame({ stored: stored(), counted: await counted() }, before);

  for (const [n, { listener, path }] of asked.entries()) {
    const got = await send(listener, 'GET', path);
    const { status, text, headers } = heads[n] as Answered;
    t.strictSame([status, text], [got.status, ''], `${listener}: HEAD ${path}`);
    const unlike = { date: '', 'content-length': '', 'transfer-encoding': '', 'x-captcha-answer': '' };
    const seen = (all: Answered['headers']) =>
      Object.fromEntries(
        Object.entries(all).filter(([name]) => !(name in unlike) && !/^ratelimit/.test(name)),
      );
    t.strictSame(seen(headers), seen(got.headers), `${listener}: HEAD ${path}`);
  }
  t.notSame({ stored: stored(), counted: await counted() }, before, 'as GET does');
});

t.test('an unsupported method of an existing path is 405, and Allow lists its methods', async (t) => {
  const paths = new Map(site.operations.map((each) => [`${each.listener} ${each.path}`, each]));
  for (const [name, { listener, path }] of paths) {
    const has = site.operations
      .filter((each) => each.listener === listener && each.path === path)
      .map(({ method }) => method);
    if (has.includes('GET')) has.push('HEAD');
    // CORS responds to every OPTIONS request of the public listeners.
    if (listener === 'session' || listener === 'challenge') has.push('OPTIONS');
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
    for (const method of others.filter((each) => !has.includes(each))) {
      const isBare = ['GET', 'HEAD', 'TRACE'].includes(method);
      const large = isBare ? {} : { body: JSON.stringify('x'.repeat(20_000)), headers: JSON_TYPE };
      const { status, headers, text } = await send(listener, method, path, large);
      t.strictSame([status, headers.allow], [405, has.toSorted().join(', ')], `${method} ${name}`);
      if (method !== 'HEAD') t.match(JSON.parse(text), { code: 'method_not_allowed', message: /\.$/ });
    }
  }
});

t.test('an unknown path is 404 for every method, also with a large or a broken body', async (t) => {
  for (const listener of LISTENERS) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      for (const body of [JSON.stringify('x'.repeat(20_000)), '{', '']) {
        const { status, headers, text } = await send(listener, method, '/nothing', {
          headers: JSON_TYPE,
          body,
        });
        t.strictSame([status, JSON.parse(text).code], [404, 'not_found'], `${listener} ${method}`);
        t.notOk('allow' in headers);
      }
    }
  }
});

t.test('OPTIONS of a public path is 204, with CORS headers', async (t) => {
  const { status, headers } = await send('session', 'OPTIONS', '/login', { headers: { origin: ORIGIN } });
  t.equal(status, 204);
  t.match(headers, { 'access-control-allow-origin': ORIGIN, 'access-control-allow-methods': /\bPOST\b/ });
});

t.test('a compressed body is 415, and Accept-Encoding allows none', async (t) => {
  const body = gzipSync('{}');
  for (const { listener, method, path } of site.operations) {
    if (method === 'GET') continue;
    const name = `${listener}: ${method} ${path}`;
    for (const encoding of ['gzip', 'br', 'x-other']) {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      const { status, headers: answered, text } = await send(listener, method, path, { headers, body });
      // Its clients read a verdict from every response.
      if (path.endsWith('siteverify')) t.match(JSON.parse(text), { 'error-codes': ['bad-request'] });
      else t.strictSame([status, answered['accept-encoding']], [415, 'identity'], name);
    }
  }
  const plain = { ...JSON_TYPE, 'content-encoding': 'identity' };
  const answer = await send('session', 'POST', '/login', { headers: plain, body: '{}' });
  t.equal(answer.status, 422, 'identity is no encoding');
});

t.test('a malformed request gets an ordinary error body, also from the local gateway', async (t) => {
  const { gateway } = site.system.ports;
  const fronts = [...LISTENERS.map((name) => Number(site.at[name].split(':')[1])), gateway];
  const broken = {
    bad_request: 'hunter2\r\n\r\n',
    header_too_large: `GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'x'.repeat(20_000)}\r\n\r\n`,
  };
  for (const port of fronts) {
    for (const [code, bytes] of Object.entries(broken)) {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      const answer = await text(socket);
      t.match(answer, /^HTTP\/1\.1 4\d\d [A-Z][\s\S]*\r\nContent-Type: application\/json; charset=utf-8\r\n/);
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      t.match(body, { code, message: /^[A-Z].*\.$/ }, `port ${port}`);
      t.strictSame(Object.keys(body), ['message', 'code']);
    }
  }
});

for (const operation of site.operations) {
  const { listener, method, pattern } = operation;
  t.test(`${method} ${pattern} on ${listener} sends only documented responses`, async (t) => {
    await fc.assert(
      fc.asyncProperty(parameter, headers, body, query, async (name, given, { type, text }, search) => {
        const isRead = method === 'GET';
        const own = isRead
          ? {}
          : {
              ...(type !== '' && { 'content-type': type }),
              'content-length': String(Buffer.byteLength(text)),
            };
        const path = `${pattern.replace(/\{\w+\}/g, name)}${search}`;
        const response = await ask(`http://${site.at[listener]}${path}`, {
          method,
          headers: { ...given, ...own },
          body: isRead ? '' : text,
        });
        const found = undocumented(site.documents[listener], operation, received(response));
        if (found.length > 0) throw new Error(`${found} at ${path}`);
      }),
      { numRuns: RUNS },
    );
    t.pass(`${RUNS} requests`);
  });
}

function received({ status, headers, text }: Awaited<ReturnType<typeof ask>>): Received {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { status, headers, ...(isJson && { json: JSON.parse(text) }) };
}

t.test('every path parameter is documented', async (t) => {
  for (const [listener, { paths }] of Object.entries(site.documents)) {
    for (const [pattern, item] of Object.entries(paths)) {
      const inPath = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      for (const { parameters = [] } of Object.values(item)) {
        const named = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
        t.strictSame(named.sort(), inPath, `${listener} ${pattern}`);
      }
    }
  }
});
