// Doctor examines whole systems: healthy ones, accounts that cannot log in, missing health checks, applications with
// another store or secret. Each of its requests: sent headers, read response, and the reason if there is none.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { challengeGuard } from '@tollgate/fastify';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { exchange } from '@tollgate/tools/doctor/exchange.js';
import { diagnoseHealthChecks, probeHealthChecks } from '@tollgate/tools/doctor/inside/health-checks.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { solve } from '../solving.js';
import {
  complaints,
  type ExaminedSystem,
  openStores,
  sharedExaminedSystem,
  startExaminedSystem,
} from './examined-system.js';

const loginOf = async (examined: ExaminedSystem, password: string) => {
  const { email = '' } = examined.system.demo ?? {};
  return complaints(await examined.examine({ account: { email, password } }));
};

/** Somebody else's wrong password: the price that it leaves does not apply to doctor's address. */
async function failFromElsewhere({ system }: ExaminedSystem): Promise<void> {
  const work = await (await fetch(`${system.address}/api/captcha/pow`)).json();
  const { token, salt, difficulty } = work as { token: string; salt: string; difficulty: number };
  const challenges = { pow_token: token, pow_nonce: solve({ salt, difficulty }) };
  const answer = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.7' },
    body: JSON.stringify({ email: system.demo?.email, password: 'wrong', ...challenges }),
  });
  if (answer.status !== 422) throw new Error(`a wrong password returned ${answer.status}`);
}

const MISSING = 'no challenge service has reported on this store';
const DIFFERS = 'the challenge service on this store has another CHALLENGE_SECRET';

/** An application with the guard, and its log warnings. */
async function openApplication(t: Test, environment: Readonly<Record<string, string | undefined>>) {
  const warnings: string[] = [];
  const write = (line: string) => warnings.push(JSON.parse(line).msg);
  const app = Fastify({ logger: { level: 'warn', stream: { write } } });
  t.teardown(() => app.close());
  await app.register(challengeGuard, { application: 'shop', environment });
  await app.ready();
  return warnings;
}

async function applications(t: Test, given: { STORE_URL?: string }): Promise<void> {
  const examined = await startExaminedSystem(t, { environment: given });
  const { CHALLENGE_SECRET } = examined.system.secrets;
  const captcha = Object.fromEntries(Object.entries(examined.env).filter(([name]) => /^CAPTCHA_/.test(name)));
  const environment = {
    ...captcha,
    CHALLENGE_SECRET,
    STORE_URL: given.STORE_URL ?? `file:${join(examined.env.DATA_DIR ?? '', 'tollgate.db')}`,
  };
  const right = await openApplication(t, environment);
  const others = [
    await openApplication(t, { ...environment, STORE_URL: `file:${join(tempDir(t), 'own.db')}` }),
    await openApplication(t, { ...environment, CHALLENGE_SECRET: randomBytes(32).toString('hex') }),
  ];
  const endMs = performance.now() + 30_000;
  while (others.some((warnings) => warnings.length === 0) && performance.now() < endMs) await pause(50);
  t.match(others, [[MISSING], [DIFFERS]]);
  t.strictSame(right, []);

  const findings = complaints(await examined.examine({ env: examined.env }));
  t.match(
    findings.filter(({ check }) => check !== 'one_store' && check !== 'sessions_not_kept'),
    [
      {
        check: 'application_secret_differs',
        severity: 'warning',
        message: /^1 application on the store in STORE_URL has a different CHALLENGE_SECRET/,
      },
    ],
  );
  const stranger = { ...examined.env, CHALLENGE_SECRET: randomBytes(32).toString('hex') };
  const checks = complaints(await examined.examine({ env: stranger })).map(({ check }) => check);
  t.ok(checks.includes('challenge_secret_differs'));
}

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

t.test('from outside everything visible is good', async (t) => {
  const { examine, system, publicUrl } = await startExaminedSystem(t);
  const report = await examine();
  t.strictSame(complaints(report), []);
  t.strictSame(
    report.findings.map(({ check }) => check),
    [
      ...[
        'reach',
        'routing',
        'transport',
        'image',
        'origins',
        'binding',
        'bodies',
        'exposure',
        'session',
        'cookie',
        'answers',
      ],
      ...['clocks', 'addresses'],
    ],
  );
  t.equal(report.publicUrl, publicUrl);
  t.strictSame(report.skipped, [
    'Cross-origin calls: set CORS_ORIGIN or --origin.',
    "Secrets, stores and users: need the session service's environment.",
  ]);
  const log = system.logs();
  t.match(log, /"event":"login"/);
  t.match(log, /"event":"logout"/);
});

t.test('with the environment, two stores and another origin everything is good', async (t) => {
  const { environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, {
    environment: { ...environment, CORS_ORIGIN: 'http://localhost:5173' },
  });
  const report = await examine({ env });
  t.strictSame(complaints(report), []);
  t.strictSame(report.skipped, []);
  t.ok(report.findings.some(({ check }) => check === 'cross_origin'));
});

t.test(
  'with public tokens their keys are found, or reported missing if the gateway does not route them',
  async (t) => {
    const { examine, env, front } = await startExaminedSystem(t, {
      environment: { ACCESS_TOKEN_FORMAT: 'public' },
    });
    const report = await examine({ env });
    t.strictSame(
      complaints(report).filter(({ check }) => check !== 'stores'),
      [],
    );
    t.ok(report.findings.some(({ check }) => check === 'public_keys'));
    front.breakWith({
      refuse: ({ url }) =>
        url.startsWith('/.well-known/') ? { status: 404, headers: {}, body: Buffer.from('none') } : undefined,
    });
    t.match(complaints(await examine()), [{ check: 'public_keys', severity: 'problem' }]);
  },
);

t.test('no session is left behind, and the account has no failure', async (t) => {
  const { sessions, challenges, environment } = await openStores(t);
  const { examine } = await startExaminedSystem(t, { environment });
  await examine();
  t.equal(await sessions.client.exists('session:{1}'), 0);
  t.strictSame(await challenges.client.keys('captcha:fail:*'), []);
});

t.test('behind our own gateway everything is good, without an account, too', async (t) => {
  const { examine, system } = await startExaminedSystem(t, { environment: { PUBLIC_URL: '' } });
  for (const account of [system.demo, undefined]) {
    const report = await examine({ publicUrl: system.address, pageOrigin: system.address, account });
    t.strictSame(complaints(report), []);
  }
});

t.test('each wrong password is one failure, and doctor explains the consequences', async (t) => {
  const examined = await startExaminedSystem(t);
  const wrong = [
    {
      check: 'login_failed',
      severity: 'problem',
      message:
        'The email or the password is wrong, or the account is disabled. This counts as one failure of the account.',
    },
  ];
  t.strictSame(await loginOf(examined, 'a wrong password'), wrong);
  t.strictSame(await loginOf(examined, 'a wrong password'), wrong);
  const demanded = [
    {
      check: 'image_demanded',
      severity: 'warning',
      message:
        'The account has failures, so an image is required, which the doctor cannot solve. No session was started.',
    },
  ];
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), demanded);
  t.equal(
    examined.system.logs().split('"event":"login_failed"').length - 1,
    2,
    'it tried no further password',
  );
  t.notMatch(examined.system.logs(), /"event":"login"/);
});

t.test('failures that raise the price of work are no obstacle', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  await failFromElsewhere(examined);
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), []);
  t.match(examined.system.logs(), /"code":"pow_insufficient"/);
});

t.test('a throttled account is not tried', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CAPTCHA_ESCALATION_AFTER: '50' } });
  for (let failures = 0; failures < 5; failures++) await loginOf(examined, 'a wrong password');
  t.strictSame(await loginOf(examined, examined.system.demo?.password ?? ''), [
    { check: 'login_throttled', severity: 'warning', message: 'The account is throttled for this address.' },
  ]);
});

t.test('limits are distinguished from faults', async (t) => {
  const examined = await startExaminedSystem(t, {
    environment: { RATE_LIMIT_LOGIN: '1', RATE_LIMIT_POW: '3' },
  });
  t.strictSame(complaints(await examined.examine()), []);
  t.strictSame(complaints(await examined.examine({ account: undefined })), []);
  t.strictSame(complaints(await examined.examine()), [
    {
      check: 'limited',
      severity: 'warning',
      message: 'This address is rate limited: a service returns 429.',
    },
  ]);
  const other = await startExaminedSystem(t, { environment: { RATE_LIMIT_LOGIN: '1' } });
  await other.examine();
  t.strictSame(complaints(await other.examine()), [
    { check: 'limited', severity: 'warning', message: 'This address has made too many login attempts.' },
  ]);
});

t.test('services that do not share their secret reject the work', async (t) => {
  const examined = await startExaminedSystem(t, {
    serviceEnvironment: {
      'challenge-service': { CAPTCHA_CACHE_PREFIX: 'elsewhere' },
    },
  });
  t.strictSame(complaints(await examined.examine()), [
    {
      check: 'login_refused',
      severity: 'problem',
      message: 'Unexpected login response: 422 (pow_invalid).',
    },
  ]);
});

t.test('each health check of a process is counted', async (t) => {
  const { system, env, examine } = await sharedExaminedSystem();
  const { sessionAdmin, challengeAdmin } = system.ports;
  const ports = { 'session-service': sessionAdmin, 'challenge-service': challengeAdmin };
  const probe = () => probeHealthChecks('::', ports);
  const before = await probe();
  for (const path of ['live', 'serving', 'serving', 'ready']) {
    t.ok((await fetch(`http://127.0.0.1:${sessionAdmin}/health/${path}`)).ok);
  }
  const after = await probe();
  const more = (service: string) => (after[service]?.asked ?? 0) - (before[service]?.asked ?? 0);
  t.equal(more('session-service'), 3, 'all but the liveness check');
  t.equal(more('challenge-service'), 0);
  const { runsForSeconds = -1 } = after['session-service'] ?? {};
  // The service runs in this process, and reports its start time in seconds.
  t.ok(runsForSeconds > 0 && runsForSeconds <= process.uptime() + 1, `${runsForSeconds} s`);
  t.strictSame(await probeHealthChecks('127.0.0.1', { 'session-service': 1 }), {}, 'out of reach');
  t.strictSame(complaints(await examine({ env })), [], 'no checks are necessary on this machine');
});

t.test('services without health checks', async (t) => {
  const checks = (asked: number, runsForSeconds = 3600, isLocal = false) =>
    diagnoseHealthChecks(
      { 'session-service': { asked, runsForSeconds }, 'challenge-service': { asked: 3600, runsForSeconds } },
      isLocal,
    ).map(({ check, message }) => `${check}: ${message}`);
  t.strictSame(checks(3), [
    'health_unasked: No regular health checks reach session-service (/health/serving or /health/ready).',
  ]);
  t.strictSame(checks(60), ['health_checks: The services get health checks.']);
  t.strictSame(checks(0, 100), [], 'a service that has just started may get checks later');
  t.strictSame(checks(0, 3600, true), [], 'on one machine there is one process of each');
});

t.test('applications with another store or secret, on the embedded store', (t) => applications(t, {}));

t.test('applications with another store or secret, on Redis', async (t) => {
  const redis = await startRedis(t);
  await applications(t, { STORE_URL: redis.url });
  const examined = await startExaminedSystem(t, { environment: { STORE_URL: redis.url } });
  const elsewhere = { ...examined.env, CAPTCHA_CACHE_STORE: `${redis.url}/7` };
  const checks = complaints(await examined.examine({ env: elsewhere })).map(({ check }) => check);
  t.ok(checks.includes('challenge_service_missing'));
});

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
