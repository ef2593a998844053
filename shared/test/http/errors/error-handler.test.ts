// Every failed request gets a localised message and a stable code, and no internal detail.

import { once } from 'node:events';
import { connect } from 'node:net';
import createError from '@fastify/error';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { refuse } from '../../../src/http/errors/errors.js';
import { en, type MessageKey } from '../../../src/messages/en.js';
import { StoreUnavailableError } from '../../../src/store/store.js';
import { buildSharedApp } from '../shared-app.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const LoginFailed = createError('LOGIN_FAILED', 'no', 422);

const failureOf = (code: MessageKey, errors?: Record<string, string[]>) => ({
  message: en[code],
  code,
  ...(errors === undefined ? {} : { errors }),
});

t.test('a body with an invalid field is 422 and names the field', async (t) => {
  const { app } = await buildSharedApp(t);
  const cases: [unknown, Record<string, string[]>][] = [
    [{}, { email: [en.required] }],
    [{ email: '' }, { email: [en.required] }],
    [{ email: 5 }, { email: [en.type] }],
    [{ email: 'x'.repeat(21) }, { email: ['This value is too long (maximum length: 20).'] }],
    [{ email: 'a', password: 'short' }, { password: ['This value is too short (minimum length: 8).'] }],
    [{ email: 'a', age: '20' }, { age: [en.type] }],
    [{ email: 'a', age: 17 }, { age: [en.out_of_range] }],
    [{ email: 'a', size: {} }, { 'size.width': [en.required] }],
    [{ email: 'a', size: { width: 'x' } }, { 'size.width': [en.type] }],
    [{ email: 'a', extra: 1 }, { extra: [en.unknown_field] }],
    [{ email: 'a', 'a/b~c': 1 }, { 'a/b~c': [en.unknown_field] }],
    [{ email: 'a', ['x'.repeat(500)]: 1 }, { ['x'.repeat(64)]: [en.unknown_field] }],
    [[], { body: [en.type] }],
    ['text', { body: [en.type] }],
    [null, { body: [en.type] }],
  ];
  for (const [body, fields] of cases) {
    const response = await app.inject({
      method: 'POST',
      url: '/form',
      headers: JSON_TYPE,
      payload: JSON.stringify(body),
    });
    t.equal(response.statusCode, 422, JSON.stringify(body));
    t.same(response.json(), failureOf('validation_failed', fields));
    t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  }
});

t.test('a body with several invalid fields names each of them, with one text', async (t) => {
  const { app } = await buildSharedApp(t);
  const send = async (payload: object) =>
    (await app.inject({ method: 'POST', url: '/form', payload })).json();
  t.same(
    await send({ password: 'short', age: 1, size: { width: 'x' }, extra: 1 }),
    failureOf('validation_failed', {
      email: [en.required],
      extra: [en.unknown_field],
      password: ['This value is too short (minimum length: 8).'],
      age: [en.out_of_range],
      'size.width': [en.type],
    }),
  );
});

t.test('the response to a body with thousands of unknown fields names twenty', async (t) => {
  const { app } = await buildSharedApp(t);
  const names = Array.from({ length: 1500 }, (_, i) => `f${i}`);
  const response = await app.inject({
    method: 'POST',
    url: '/form',
    payload: Object.fromEntries(names.map((name) => [name, 1])),
  });
  t.equal(response.statusCode, 422);
  t.same(Object.keys(response.json().errors), ['email', ...names.slice(0, 19)]);
});

t.test('a missing required body is 422, with any headers', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const headers of [JSON_TYPE, {}]) {
    const response = await app.inject({ method: 'POST', url: '/form', headers });
    t.equal(response.statusCode, 422);
    t.same(response.json(), failureOf('validation_failed', { body: [en.type] }));
  }
});

t.test('an empty body with a JSON content type is accepted if none is required', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON']) {
    const response = await app.inject({ method: 'POST', url: '/no-body', headers: { 'content-type': type } });
    t.same([response.statusCode, response.json()], [200, { body: null }], type);
  }
  const chunked = await app.inject({
    method: 'POST',
    url: '/no-body',
    headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
    payload: '',
  });
  t.equal(chunked.statusCode, 200);
});

t.test('an invalid query is 422, an invalid path parameter 404', async (t) => {
  const { app } = await buildSharedApp(t);
  const query = await app.inject('/things/abc?preset=far-too-long');
  t.equal(query.statusCode, 422);
  t.same(
    query.json(),
    failureOf('validation_failed', { preset: ['This value is too long (maximum length: 8).'] }),
  );
  const repeated = await app.inject('/things/abc?preset=a&preset=b');
  t.same(
    [repeated.statusCode, repeated.json()],
    [422, failureOf('validation_failed', { preset: [en.type] })],
  );
  for (const path of ['/things/ABC', '/things/abcd', '/things/', `/things/${'a'.repeat(5000)}`]) {
    const response = await app.inject(path);
    t.same([response.statusCode, response.json()], [404, failureOf('not_found')], path.slice(0, 20));
  }
});

t.test('malformed JSON, and JSON that would change prototypes, is 400 without an excerpt', async (t) => {
  const { app, log } = await buildSharedApp(t);
  for (const payload of [
    '{',
    ' ',
    '{"email":hunter2}',
    '{"__proto__":{"admin":true}}',
    '{"email":"a","size":{"__proto__":1}}',
    '{"\\u005f_proto__":1}',
    '{"constructor":{"prototype":{"admin":true}}}',
  ]) {
    const response = await app.inject({ method: 'POST', url: '/form', headers: JSON_TYPE, payload });
    t.same([response.statusCode, response.json()], [400, failureOf('malformed_json')], payload);
  }
  t.notMatch(log.text(), 'hunter2');
});

t.test('a constructor without a prototype is an ordinary field', async (t) => {
  const { app } = await buildSharedApp(t);
  const response = await app.inject({
    method: 'POST',
    url: '/form',
    headers: JSON_TYPE,
    payload: '{"email":"a","constructor":1}',
  });
  t.same(response.json(), failureOf('validation_failed', { constructor: [en.unknown_field] }));
});

t.test('a media type other than JSON is 415', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const type of [
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/ld+json',
    'application/json2',
    'text/plain; application/json',
    'nonsense',
    '',
  ]) {
    const headers = type === '' ? {} : { 'content-type': type };
    const response = await app.inject({ method: 'POST', url: '/form', headers, payload: '{"email":"a"}' });
    // Text injected without a type arrives without a content type.
    t.same([response.statusCode, response.json()], [415, failureOf('unsupported_media_type')], type);
  }
});

t.test('a body of 16 KiB is read, one byte more is 413', async (t) => {
  const { app } = await buildSharedApp(t);
  const padded = (bytes: number) => `{}${' '.repeat(bytes - 2)}`;
  const send = (bytes: number) =>
    app.inject({ method: 'POST', url: '/no-body', headers: JSON_TYPE, payload: padded(bytes) });
  t.equal((await send(16 * 1024)).statusCode, 200);
  const response = await send(16 * 1024 + 1);
  t.same([response.statusCode, response.json()], [413, failureOf('body_too_large')]);
});

t.test('a body rejected before its end gets its 413, and the connection stays open', async (t) => {
  const { app } = await buildSharedApp(t);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const answers = async (count: number) => {
    while ((received.match(/HTTP\/1\.1 /g) ?? []).length < count) await once(socket, 'data');
  };
  const head = 'POST /no-body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  socket.write(`${head}content-length: 20480\r\n\r\n{`);
  await answers(1);
  t.match(received, /^HTTP\/1\.1 413 /);
  socket.write(`${' '.repeat(20_478)}}${head}content-length: 2\r\n\r\n{}`);
  await answers(2);
  t.match(received, /HTTP\/1\.1 200 /);
});

t.test('a body without an announced length that exceeds the limit closes its connection', async (t) => {
  const { app } = await buildSharedApp(t);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  const head = 'POST /no-body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n5000\r\n${' '.repeat(0x5000)}\r\n0\r\n\r\n`);
  await once(socket, 'close');
  t.match(received, /^HTTP\/1\.1 413 [\s\S]*connection: close/i);
});

t.test('an unknown route is 404 and does not repeat the URL', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const [method, url] of [
    ['GET', '/nothing?ticket=hunter2'],
    ['HEAD', '/nothing'],
    ['POST', '/nothing'],
    ['PUT', '/form/x'],
  ] as const) {
    const response = await app.inject({ method, url });
    t.equal(response.statusCode, 404, `${method} ${url}`);
    if (method !== 'HEAD') t.same(response.json(), failureOf('not_found'));
  }
});

t.test('an unsupported method of a known path is 405, and Allow names the supported ones', async (t) => {
  const { app } = await buildSharedApp(t);
  for (const [method, url, allow] of [
    ['GET', '/form?ticket=hunter2', 'OPTIONS, POST'],
    ['HEAD', '/form', 'OPTIONS, POST'],
    ['DELETE', '/form', 'OPTIONS, POST'],
    ['PUT', '/things/abc', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const response = await app.inject({ method, url });
    t.equal(response.statusCode, 405, `${method} ${url}`);
    t.equal(response.headers.allow, allow);
    if (method !== 'HEAD') t.same(response.json(), failureOf('method_not_allowed'));
  }
});

t.test('a path that cannot be decoded is 400 in the same format, with every header', async (t) => {
  const { app } = await buildSharedApp(t);
  const response = await app.inject({ url: '/things/%zz', headers: { 'accept-language': 'fr' } });
  t.equal(response.statusCode, 400);
  t.equal(response.json().code, 'bad_request');
  t.match(response.json().message, /incompréhensible/);
  t.match(response.headers, {
    'cache-control': 'no-store',
    'content-language': 'fr',
    vary: /Accept-Language/,
  });
});

t.test(
  'an unexpected error is 500 without details in the response, and with its reason in the log',
  async (t) => {
    const { app, log } = await buildSharedApp(t);
    const response = await app.inject('/broken');
    t.same([response.statusCode, response.json()], [500, failureOf('internal_error')]);
    t.notMatch(response.body, 'hunter2');
    const line = log.lines().find(({ level }) => level === 'error');
    t.match(line, { code: 'internal_error', route: '/broken', err: { type: 'Error', frames: [/^ {4}at /] } });
    const text = await app.inject('/throws-text');
    t.same([text.statusCode, text.json()], [500, failureOf('internal_error')]);
  },
);

t.test('an unreachable store is 503 with Retry-After', async (t) => {
  const { app, log } = await buildSharedApp(t);
  const response = await app.inject('/store-away');
  t.same([response.statusCode, response.json()], [503, failureOf('store_unavailable')]);
  t.equal(response.headers['retry-after'], '1');
  t.match(log.lines(), [{ level: 'error', code: 'store_unavailable', route: '/store-away' }]);
});

t.test('a rejection includes its fields, its body and its headers', async (t) => {
  const { app, log } = await buildSharedApp(t);
  const response = await app.inject('/refused');
  t.equal(response.statusCode, 422);
  t.same(response.json(), {
    captcha_required: true,
    message: en.captcha_invalid,
    code: 'captcha_invalid',
    errors: {
      captcha: [en.wrong_answer],
      captcha_token: ['This value is too long (maximum length: 40).'],
    },
  });
  t.equal(response.headers['x-extra'], '7');
  t.match(log.lines(), [{ level: 'debug', code: 'captcha_invalid', route: '/refused' }]);
});

t.test("neither a rejection's body nor its route can replace its message and code", async (t) => {
  const { app } = await buildSharedApp(t, (app) => {
    app.get('/x', { config: { extendError: async () => ({ code: 'route', a: 1, b: 1 }) } }, async () => {
      throw refuse(LoginFailed, { body: { message: 'body', b: 2 } });
    });
  });
  t.same((await app.inject('/x')).json(), { a: 1, b: 2, ...failureOf('login_failed') });
});

t.test("a route extends all of its 4xx responses, including the framework's", async (t) => {
  const seen: unknown[] = [];
  const { app } = await buildSharedApp(t, (app) => {
    app.post(
      '/x',
      {
        schema: { body: Type.Object({ a: Type.String() }) },
        config: {
          extendError: async (_request, error) => {
            seen.push(error);
            return error.statusCode === 422 ? { captcha_required: false } : undefined;
          },
        },
      },
      async () => {
        throw new Error('broken');
      },
    );
  });
  const send = (payload: string) => app.inject({ method: 'POST', url: '/x', headers: JSON_TYPE, payload });
  t.same((await send('{}')).json(), {
    captcha_required: false,
    ...failureOf('validation_failed', { a: [en.required] }),
  });
  t.same((await send('{')).json(), failureOf('malformed_json'));
  t.same((await send('{"a":"b"}')).json(), failureOf('internal_error'));
  t.same(seen, [
    { statusCode: 422, code: 'validation_failed', body: {} },
    { statusCode: 400, code: 'malformed_json', body: {} },
  ]);
});

t.test(
  'if a route cannot extend its response because the store is unreachable, it responds 503',
  async (t) => {
    const { app } = await buildSharedApp(t, (app) => {
      const extendError = async () => {
        throw new StoreUnavailableError('away');
      };
      app.get('/x', { config: { extendError } }, async () => {
        throw refuse(LoginFailed);
      });
    });
    const response = await app.inject('/x');
    t.same([response.statusCode, response.json()], [503, failureOf('store_unavailable')]);
    t.equal(response.headers['retry-after'], '1');
  },
);

t.test("a route's response schema drops no property of an error", async (t) => {
  const { app } = await buildSharedApp(t, (app) => {
    const schema = { response: { '4xx': Type.Object({ code: Type.String() }) } };
    app.get('/x', { schema }, async () => {
      throw refuse(LoginFailed, { body: { captcha_required: true } });
    });
  });
  t.same((await app.inject('/x')).json(), { captcha_required: true, ...failureOf('login_failed') });
});

t.test('a request aborted during its body is not logged as a server error', async (t) => {
  const { app, log } = await buildSharedApp(t);
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a',
  );
  const arrived = once(app.server, 'request');
  await arrived;
  socket.destroy();
  await app.close();
  t.notOk(log.lines().some(({ level, code }) => level === 'error' && code === 'internal_error'));
});
