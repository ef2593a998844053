// Logs contain no secrets and no addresses.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import t from 'tap';
import healthRoutes from '../../../src/http/observability/health.js';
import { createLogger, HIDDEN_VALUE, hideSecrets } from '../../../src/http/observability/logger.js';
import { createMetrics, metricsRoute } from '../../../src/http/observability/metrics.js';
import { serverOptions } from '../../../src/http/server/server-options.js';
import { StoreUnavailableError } from '../../../src/store/store.js';
import { buildSharedApp, collectLog } from '../shared-app.js';

t.test(
  'one line per request with method, route, status and duration, and without address and path',
  async (t) => {
    const { app, log } = await buildSharedApp(t);
    await app.inject({ url: '/things/abc?preset=x', remoteAddress: '203.0.113.77' });
    t.same(log.lines().length, 1);
    const [{ time, ms, pid, hostname, reqId, ...line } = {}] = log.lines();
    t.same(line, {
      level: 'info',
      name: 'test',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      msg: 'request',
    });
    t.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    t.ok(Number(ms) >= 0);
    t.type(reqId, 'string');
  },
);

t.test(
  'the log of a run contains none of the submitted secrets, even at the most verbose level',
  async (t) => {
    const { app, log } = await buildSharedApp(t);
    const secret = 'hunter2hunter2';
    const headers = {
      authorization: `Bearer ${secret}`,
      cookie: `refreshToken=${secret}`,
      'user-agent': secret,
    };
    const requests = [
      { url: `/things/abc?scope=${secret}` },
      { url: `/things/${secret}` },
      { url: `/nothing/${secret}?ticket=${secret}` },
      { url: `/%zz${secret}` },
      { url: '/broken' },
      { url: '/refused' },
      { url: '/store-away' },
      { method: 'POST', url: '/form', payload: { email: secret, password: secret } },
      { method: 'POST', url: '/form', payload: { [secret]: secret } },
      {
        method: 'POST',
        url: '/form',
        payload: `{"password":${secret}`,
        headers: { 'content-type': 'application/json' },
      },
      { method: 'POST', url: '/form', payload: secret, headers: { 'content-type': `text/${secret}` } },
    ] as const;
    for (const request of requests) {
      await app.inject({
        ...request,
        headers: { ...headers, ...('headers' in request ? request.headers : {}) },
        remoteAddress: '203.0.113.77',
      });
    }
    t.equal(log.lines().filter(({ msg }) => msg === 'request').length, requests.length - 1);
    t.notMatch(log.text(), secret);
    t.notMatch(log.text(), '203.0.113.77');
  },
);

t.test('bytes that are not HTTP are not logged', async (t) => {
  const { app, log } = await buildSharedApp(t);
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.end('GET / HTTP/1.1\r\nAuthorization hunter2\r\n\r\n').resume();
  await once(socket, 'close');
  t.notMatch(log.text(), 'hunter2');
});

t.test('properties with sensitive names are hidden at every depth, in any spelling', async (t) => {
  const hidden = {
    Authorization: 'x',
    'set-cookie': ['x'],
    access_token: 'x',
    accessToken: 'x',
    'X-Forwarded-For': 'x',
    pow_nonce: '1',
    captcha: 'x',
    password: null,
    headers: { a: 1 },
  };
  for (const [name, value] of Object.entries(hidden)) {
    t.same(hideSecrets({ [name]: value }), { [name]: HIDDEN_VALUE }, name);
    t.same(hideSecrets({ a: { b: [{ [name]: value }] } }), { a: { b: [{ [name]: HIDDEN_VALUE }] } }, name);
  }
});

t.test('values without secrets are logged unchanged, without a copy', async (t) => {
  const values = {
    route: '/x',
    status: 200,
    event: 'login',
    sid: 's',
    at: new Date(0),
    list: undefined,
    n: null,
  };
  t.equal(hideSecrets(values), values);
  const error = new Error('x');
  t.equal(hideSecrets({ err: error }).err, error);
});

t.test('values nested below the depth of the redaction are hidden completely', async (t) => {
  t.notMatch(
    JSON.stringify(hideSecrets({ a: { a: { a: { a: { a: { password: 'hunter2' } } } } } })),
    'hunter2',
  );
});

t.test('the given values are not changed', async (t) => {
  const values = { user: { password: 'x' } };
  hideSecrets(values);
  t.same(values, { user: { password: 'x' } });
});

t.test(
  'an error is logged by its type, message, code, frames and cause, without its other properties',
  async (t) => {
    const log = collectLog();
    const logger = createLogger({ name: 'test', level: 'info' }, log.stream);
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      command: { name: 'set', args: ['hunter2'] },
    });
    logger.error({ err: new StoreUnavailableError('away', { cause }) }, 'failed');
    t.notMatch(log.text(), 'hunter2');
    t.match(log.lines()[0], {
      err: {
        type: 'StoreUnavailableError',
        message: 'away',
        frames: [/^ {4}at /],
        cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
      },
    });
  },
);

t.test('messages that quote their input are truncated', async (t) => {
  const log = collectLog();
  const logger = createLogger({ name: 'test', level: 'info' }, log.stream);
  for (const message of [
    "ERR unknown command 'x', with args beginning with: 'hunter2' 'y'",
    `Unexpected token 'h', "hunter2" is not valid JSON`,
  ]) {
    logger.error({ err: new Error(message) });
    logger.error(new Error(message));
    logger.child({ reqId: 'a' }).error({ err: new Error(message) });
  }
  try {
    JSON.parse('{"password": hunter2}');
  } catch (err) {
    logger.error({ err });
  }
  t.equal(log.lines().length, 7);
  t.notMatch(log.text(), 'hunter2');
});

t.test('an error with circular causes is logged', async (t) => {
  const log = collectLog();
  const error = new Error('round');
  error.cause = error;
  createLogger({ name: 'test', level: 'info' }, log.stream).error({ err: error });
  t.match(log.lines()[0], { err: { message: 'round', cause: { message: 'round' } } });
});

t.test('line breaks in the input cause no second line', async (t) => {
  const log = collectLog();
  createLogger({ name: 'test', level: 'info' }, log.stream).info({ agent: 'a\r\n{"level":"error"}' }, 'b\nc');
  t.equal(log.text().split('\n').length, 2);
  t.match(log.lines(), [{ agent: 'a\r\n{"level":"error"}', msg: 'b\nc' }]);
});

t.test('below the configured level nothing is logged', async (t) => {
  const log = collectLog();
  const logger = createLogger({ name: 'test', level: 'warn' }, log.stream);
  const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com' }));
  t.teardown(() => app.close());
  app.get('/', async () => 'x');
  await app.inject('/');
  t.equal(log.text(), '');
});

t.test("a request's line equals the logger's output", async (t) => {
  const log = collectLog();
  const logger = createLogger({ name: 'test', level: 'info' }, log.stream);
  const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com' }));
  t.teardown(() => app.close());
  app.get('/quoted"/:id', async (request) => {
    request.log.info({ status: 200 }, 'request');
    return 'x';
  });
  await app.inject('/quoted"/1');
  await app.inject('/nothing');
  const [made, line, unmatched] = log.text().trim().split('\n');
  const start = (text = '') => text.replace(/"time":"[^"]+"/, '').split('"reqId"')[0];
  t.equal(start(line), start(made));
  const { level, name, pid, hostname, reqId, ...rest } = JSON.parse(line ?? '');
  t.match(JSON.parse(made ?? ''), { level, name, pid, hostname, reqId });
  t.strictSame(Object.keys(rest), ['time', 'method', 'route', 'status', 'ms', 'msg']);
  t.match(rest, { method: 'GET', route: '/quoted"/:id', status: 200, msg: 'request' });
  t.notOk('route' in JSON.parse(unmatched ?? ''));
});

t.test('lines waiting to be written together are written before the process ends', async (t) => {
  const program = new URL('./programs/last-lines.js', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 1e7 });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).line);
  t.strictSame(
    lines,
    Array.from({ length: 1000 }, (_, line) => line),
  );
});

t.test('an idle service does not log successful probes', async (t) => {
  for (const level of ['info', 'debug']) {
    const log = collectLog();
    const logger = createLogger({ name: 'test', level }, log.stream);
    const app = Fastify(serverOptions({ logger, publicUrl: 'https://example.com' }));
    t.teardown(() => app.close());
    const state = { stopping: false };
    await app.register(healthRoutes, { checks: {}, state });
    await app.register(metricsRoute, { metrics: createMetrics({ process: false }) });
    const probes = ['/health/live', '/health/serving', '/health/ready', '/metrics'];
    for (const url of probes) t.equal((await app.inject(url)).statusCode, 200, url);
    const logged = () => log.lines().filter(({ msg }) => msg === 'request');
    t.strictSame(
      logged().map((line) => [line.level, line.route]),
      level === 'info' ? [] : probes.map((url) => ['debug', url]),
    );
    state.stopping = true;
    await app.inject('/health/ready');
    t.match(logged().at(-1), { level: 'info', route: '/health/ready', status: 503 }, 'failures stay');
  }
});
