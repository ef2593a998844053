// The gateway files under attack: one list of hostile requests through each, in front of an application that accepts HTTP/2
// upgrades.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigningKey, openSigningKeys } from '@tollgate/shared/crypto';
import { createPublicIssuer } from '@tollgate/shared/tokens';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { CHEAP } from '../doctor/examined-system.js';
import { freePorts } from '../launcher/launch.js';
import { solve } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { ask } from '../throw-away-service.js';
import {
  haproxy,
  readExample,
  runCaddy,
  runCaddyGateway,
  runHaproxy,
  runNginx,
  runNginxGateway,
} from './gateway-programs.js';
import { startGate } from './guarded-site.js';
import { type H2cApplication, hypercorn, type Reached, startH2cApplication } from './h2c-server.js';
import {
  exchange,
  FORGED_ID,
  type HostileRequest,
  hostilePaths,
  hostileRequests,
  sendHostile,
  TUNNELLED,
  WEBSOCKET,
} from './hostile-requests.js';

/** A gateway file in front of the application. */
interface Attacked {
  readonly port: number;
  readonly application: H2cApplication;
  /** The path that it lets through with these headers. */
  readonly path: string;
  readonly headers: readonly string[];
  /** A path that it rejects without them, and the status; undefined if it lets all requests through. */
  readonly refused?: { readonly path: string; readonly status: number };
  /** Whether it vouches for the user's identity. */
  readonly identifies: boolean;
  /** Whether it lets an OPTIONS request through without headers. */
  readonly preflights?: boolean;
}

const skip = hypercorn === '' && 'Hypercorn is not installed: install python3-hypercorn';
const ANN = { email: 'ann@example.com', password: 'a long enough password' };

const OTHER_PROTOCOL = /^HTTP\/1\.1 101 (?!.*upgrade: websocket\r\n)/is;

/** Names are compared as CGI and WSGI read them. */
const folded = (name: string) => name.replaceAll(/[^0-9a-z]/g, '-');
const valuesOf = ({ headers }: Reached, wanted: (name: string) => boolean) =>
  headers.filter(([name]) => wanted(folded(name))).map(([name, value]) => `${folded(name)}: ${value}`);
const identityOf = (request: Reached) => valuesOf(request, (name) => name.startsWith('x-auth-')).sort();

/** Sends everything through a gateway, and checks the requests that the application has received. */
async function stands(t: Test, attacked: Attacked): Promise<void> {
  const { port, application, path, headers, refused, identifies, preflights = false } = attacked;
  const before = application.reached.length;
  const host = `127.0.0.1:${port}`;
  const send = (request: HostileRequest, at: string, lines: readonly string[] = headers) =>
    sendHostile(port, request, { host, path: at, headers: lines });
  const inParallel = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>) => {
    const left = [...items];
    const workers = Array.from({ length: 12 }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    });
    await Promise.all(workers);
  };

  const plain: Record<string, string[]> = {};
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const headers = method === 'POST' ? ['Content-Length: 0'] : [];
    t.match(
      await send({ name: 'plain', method, headers }, `${path}?n=${method}`),
      /^HTTP\/1\.1 200 /,
      method,
    );
    await application.settled();
    plain[method] = identityOf(
      application.reached.findLast(({ query }) => query === `n=${method}`) as Reached,
    );
  }
  const numbered = hostileRequests.map((request, n) => ({ request, n }));
  const answers = new Map<string, string>();
  await inParallel(numbered, async ({ request, n }) => {
    answers.set(request.name, await send(request, `${path}?n=${n}`));
  });
  await application.settled();
  const isProbe = ({ path }: Reached) => path === '/health/serving';
  const reached = application.reached.slice(before).filter((request) => !isProbe(request));

  t.match(
    answers.get('upgrade to h2c'),
    /^HTTP\/1\.1 200 /,
    'a client that only offers h2c gets a response without it',
  );
  for (const { request, n } of numbered) {
    const { name, method = 'GET' } = request;
    t.notMatch(answers.get(name), OTHER_PROTOCOL, name);
    const seen = reached.filter(({ query }) => query === `n=${n}`);
    t.ok(seen.length <= 1, `${name}: at most once`);
    if (!identifies) continue;
    for (const each of seen) t.strictSame(identityOf(each), plain[method], name);
  }
  const odd = (name: string) => ['x-original-url', 'x-rewrite-url', 'http2-settings'].includes(name);
  for (const each of reached) t.strictSame(valuesOf(each, odd), []);
  const upgrades = reached.flatMap((each) => valuesOf(each, (name) => name === 'upgrade'));
  t.strictSame(
    upgrades.filter((line) => line !== 'upgrade: websocket'),
    [],
  );
  const connections = reached.flatMap((each) => valuesOf(each, (name) => name === 'connection'));
  t.strictSame(
    connections.filter((line) => !/: (close|keep-alive|upgrade)$/i.test(line)),
    [],
    'Connection names no header',
  );
  const tunnelled = ({ version, path }: Reached) => version !== '1.1' || path === TUNNELLED;
  t.strictSame(reached.filter(tunnelled), [], 'nothing came through a tunnel');
  t.notMatch(JSON.stringify(reached.map(identityOf)), identifies ? FORGED_ID : /^$/);

  if (refused === undefined) return;
  await inParallel(numbered, async ({ request, n }) => {
    const answer = await send(request, `${refused.path}?refused=${n}`, []);
    t.notMatch(answer, OTHER_PROTOCOL, `refused: ${request.name}`);
  });
  await application.settled();
  const later = application.reached.slice(before + reached.length);
  const strangers = later.filter(({ query }) => !query.startsWith('settled='));
  t.strictSame(preflights ? strangers.flatMap(identityOf) : strangers, [], 'a stranger reaches nothing');
}

/** Guarantees for an application behind a gateway: WebSockets, bodies of any length, rejections that wait for no body. */
async function serves(t: Test, { port, application, path, headers, refused }: Attacked): Promise<void> {
  const head = (method: string, at: string, lines: readonly string[]) =>
    [`${method} ${at} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...lines, '', ''].join('\r\n');
  await t.test('a WebSocket opens and is heard', async (t) => {
    // A masked frame with the text "hi", and the same unmasked.
    const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    const handshake = Buffer.from(head('GET', `${path}?n=websocket`, [...headers, ...WEBSOCKET]));
    const answer = await exchange(port, handshake, frame);
    t.match(answer, /^HTTP\/1\.1 101 /);
    t.ok(answer.endsWith('\x81\x02hi'), 'the application has responded');
    await application.settled();
    t.match(
      application.reached.findLast(({ query }) => query === 'n=websocket'),
      { type: 'websocket' },
    );
  });

  await t.test('an upload of 3 MiB arrives', async (t) => {
    const lines = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
    const body = Buffer.alloc(3 * 1024 * 1024);
    const answer = await ask(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: lines, body });
    t.match(answer, { status: 200, text: `${body.length} bytes` });
  });

  if (refused === undefined) return;
  await t.test('a rejection is sent before the body has been read', async (t) => {
    for (const length of ['Content-Length: 100000000', 'Transfer-Encoding: chunked']) {
      const begin = `${head('POST', refused.path, [length])}493e0\r\n${'x'.repeat(300_000)}`;
      const answer = await exchange(port, Buffer.from(begin));
      t.match(answer, new RegExp(`^HTTP/1\\.1 ${refused.status} `), length);
    }
  });
}

t.test('requests of attackers', { skip }, async (t) => {
  const application = await startH2cApplication(t);
  const environment = { ...CHEAP, ...freePorts, DATA_DIR: tempDir(t) };
  const system = await startSystem({ startService: startServiceHere, environment, accounts: [ANN] });
  t.teardown(() => system.stop());
  const service = `127.0.0.1:${system.ports.session}`;
  const work = JSON.parse((await ask(`http://127.0.0.1:${system.ports.challenge}/api/captcha/pow`)).text);
  const login = await ask(`http://${service}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...ANN, pow_token: work.token, pow_nonce: solve(work) }),
  });
  const bearer = [`Authorization: Bearer ${JSON.parse(login.text).accessToken}`];
  const verifying = {
    path: '/orders',
    headers: bearer,
    refused: { path: '/orders', status: 401 },
    identifies: true,
  };
  const gated = {
    path: '/open/a',
    headers: [],
    refused: { path: '/wanted', status: 403 },
    identifies: false,
  };
  const open = { path: '/profile', headers: [], identifies: true };

  await t.test('the control: the application itself opens a tunnel', async (t) => {
    const [request] = hostileRequests as readonly [HostileRequest];
    const port = Number(application.host.split(':')[1]);
    const answer = await sendHostile(port, request, { host: 'localhost', path: '/', headers: [] });
    t.match(answer, /^HTTP\/1\.1 101 /);
    await application.settled();
    const inside = application.reached.find(({ path }) => path === TUNNELLED);
    t.match(inside, { version: '2', headers: [[], ['x-auth-user-id', FORGED_ID]] });
  });

  await t.test('the services upgrade nothing', async (t) => {
    const tunnels = hostileRequests.filter(({ tunnel }) => tunnel);
    for (const port of [system.ports.session, system.ports.challenge]) {
      const send = (request: HostileRequest) =>
        sendHostile(port, request, { host: 'localhost', path: '/verify', headers: [] });
      for (const answer of await Promise.all(tunnels.map(send))) t.notMatch(answer, /^HTTP\/1\.1 101 /);
    }
  });

  await t.test('forward-auth.Caddyfile', async (t) => {
    const port = await freePort();
    const variables = {
      APP_URL: `http://127.0.0.1:${port}`,
      APP_UPSTREAM: application.host,
      SESSION_UPSTREAM: service,
    };
    await runCaddy(t, readExample('forward-auth.Caddyfile'), variables, port);
    await stands(t, { port, application, ...verifying });
    await serves(t, { port, application, ...verifying });
  });

  await t.test('forward-auth.nginx.conf', async (t) => {
    const port = await freePort();
    const here = readExample('forward-auth.nginx.conf')
      .replace('session-service:3001', service)
      .replace('app:8000', application.host)
      .replace('listen 80', `listen 127.0.0.1:${port}`);
    await runNginx(t, here, port);
    await stands(t, { port, application, ...verifying });
    await serves(t, { port, application, ...verifying });
  });

  await t.test(
    'verify-tokens.haproxy.cfg',
    { skip: haproxy === '' && 'HAProxy is not installed: install haproxy' },
    async (t) => {
      const port = await freePort();
      const signing = openSigningKeys(createSigningKey('ES256')).current;
      const file = join(tempDir(t), 'tollgate.pem');
      writeFileSync(file, signing.key.export({ type: 'spki', format: 'pem' }));
      const names = {
        issuer: 'https://auth.example.com',
        audiences: ['https://api.example.com'],
        clientId: 'tollgate',
      };
      const iat = Math.floor(Date.now() / 1000);
      const claims = { id: 2, email: ANN.email, sid: '0123456789ABCDEFGHIJKL', gen: 1, iat, exp: iat + 900 };
      const token = createPublicIssuer(signing, names)(claims);
      const here = readExample('verify-tokens.haproxy.cfg')
        .replace('bind :443 ssl crt /etc/haproxy/tls.pem', `bind 127.0.0.1:${port}`)
        .replace('server app app:8000', `server app ${application.host}`)
        .replace('/etc/haproxy/tollgate.pem', file);
      await runHaproxy(t, here, port);
      const attacked = { ...verifying, headers: [`Authorization: Bearer ${token}`], preflights: true };
      await stands(t, { port, application, ...attacked });
      await serves(t, { port, application, ...attacked });
    },
  );

  await t.test('gate.Caddyfile', async (t) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const variables = {
      SITE_URL: url,
      APP_UPSTREAM: application.host,
      CHALLENGE_UPSTREAM: await startGateOf(t, url),
    };
    await runCaddy(t, readExample('gate.Caddyfile'), variables, port);
    await stands(t, { port, application, ...gated });
    await serves(t, { port, application, ...gated });
    await keepsPathsApart(t, { port, application, ...gated });
  });

  await t.test('gate.nginx.conf', async (t) => {
    const port = await freePort();
    const here = readExample('gate.nginx.conf')
      .replace('challenge-service:3002', await startGateOf(t, `http://127.0.0.1:${port}`))
      .replace('app:8000', application.host)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replaceAll('www.example.com', '127.0.0.1');
    await runNginx(t, here, port);
    await stands(t, { port, application, ...gated });
    await serves(t, { port, application, ...gated });
    await keepsPathsApart(t, { port, application, ...gated });
  });

  await t.test('Caddyfile', async (t) => {
    const port = await freePort();
    const upstreams = { sessions: [application.host], challenges: [application.host] };
    await runCaddyGateway(t, { port, ...upstreams }, { PUBLIC_URL: `http://127.0.0.1:${port}` });
    await stands(t, { port, application, ...open });
  });

  await t.test('gateway.nginx.conf', async (t) => {
    const port = await freePort();
    const upstreams = { sessions: [application.host], challenges: [application.host] };
    await runNginxGateway(t, { port, ...upstreams });
    await stands(t, { port, application, ...open });
  });
});

function startGateOf(t: Test, site: string): Promise<string> {
  const rules = [{ action: 'pass', paths: ['/open/*'] }];
  return startGate(t, { GATE: JSON.stringify({ sites: [site], rules }) });
}

/** The site gets no paths but those below `/open/`, in any spelling. */
async function keepsPathsApart(t: Test, { port, application }: Attacked): Promise<void> {
  const before = application.reached.length;
  for (const path of hostilePaths) {
    const answer = await sendHostile(
      port,
      { name: path },
      { host: `127.0.0.1:${port}`, path, headers: ['X-Odd: 1'] },
    );
    t.notMatch(answer, /^HTTP\/1\.1 200 .* bytes/s, path);
  }
  await application.settled();
  const seen = application.reached
    .slice(before)
    .filter(({ headers }) => headers.some(([name]) => name === 'x-odd'));
  t.strictSame(seen, []);
}
