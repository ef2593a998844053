// Too large, too slow or broken bodies from a client: on any route, other clients are still served.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { ask } from '../throw-away-service.js';
import { type DocumentedSite, type Operation, startDocumentedSite } from './documented-site.js';
import { readExample, runCaddy, runCaddyGateway, runNginx, runNginxGateway } from './gateway-programs.js';

const haproxy = process.env.HAPROXY ?? (existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : '');

/** More than a service reads, and less than a gateway forwards. */
const LARGE_BYTES = 50_000;

/** More than a service discards. */
const HUGE = Buffer.alloc(2_000_000, 'x');

/** Longer than a service's request timeout: 15 s, and the connection check every 2 s. */
const SLOW_MS = 18_000;

/** Concurrent attacks. */
const TOGETHER = 8;

interface Front {
  readonly url: string;
  /** Whether this listener serves a path. */
  readonly serves: (operation: Operation) => boolean;
}

const isPublic = ({ listener }: Operation) => listener === 'session' || listener === 'challenge';

/** The same process twice, as two upstreams: a gateway never takes out the only one. */
function twice(address: string): string[] {
  return [address, address.replace('127.0.0.1', 'localhost')];
}

async function openFronts(t: Test, site: DocumentedSite): Promise<Record<string, Front>> {
  const upstreams = { sessions: twice(site.at.session), challenges: twice(site.at.challenge) };
  const adminPorts = {
    SESSION_ADMIN_PORT: String(site.system.ports.sessionAdmin),
    CHALLENGE_ADMIN_PORT: String(site.system.ports.challengeAdmin),
  };
  const nginx = await runNginxGateway(t, { port: await freePort(), ...upstreams });
  // An operator may set this for other paths: nginx then forwards a body while it arrives.
  const streaming = await runNginxGateway(t, { port: await freePort(), ...upstreams }, (file) =>
    file.replace('client_max_body_size 1m;', 'client_max_body_size 0; proxy_request_buffering off;'),
  );
  const caddy = await runCaddyGateway(t, { port: await freePort(), ...upstreams }, adminPorts);
  return {
    'the shipped nginx': { url: nginx.url, serves: isPublic },
    'nginx without buffers': { url: streaming.url, serves: isPublic },
    'the shipped Caddy': { url: caddy.url, serves: isPublic },
    'Caddy without buffers': await openPlainCaddy(t, site),
    'the nginx of the gate': await openGate(t, site),
    ...(haproxy === '' ? {} : { HAProxy: await openHaproxy(t, site) }),
  };
}

/** As in its manual: it takes no process out, and Caddy counts a broken body as a failure of the process. */
async function openPlainCaddy(t: Test, { at }: DocumentedSite): Promise<Front> {
  const port = await freePort();
  const proxy = (address: string) => `reverse_proxy ${twice(address).join(' ')}`;
  const file = `{\n admin off\n}\nhttp://localhost:${port} {\n handle /api/captcha* {\n ${proxy(at.challenge)}\n }
 handle {\n ${proxy(at.session)}\n }\n}`;
  await runCaddy(t, file, {}, port);
  return { url: `http://localhost:${port}`, serves: isPublic };
}

/** The shipped gate file, whose challenges are public; the site behind it is the session service. */
async function openGate(t: Test, { at }: DocumentedSite): Promise<Front> {
  const port = await freePort();
  const servers = (address: string) =>
    twice(address).map((each) => `server ${each} max_fails=1 fail_timeout=2s;`);
  const file = readExample('gate.nginx.conf')
    .replace('server challenge-service:3002;', servers(at.challenge).join(' '))
    .replace('server app:8000;', servers(at.session).join(' '))
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('www.example.com', 'localhost');
  await runNginx(t, file, port);
  return {
    url: `http://localhost:${port}`,
    serves: ({ listener, path }) => listener === 'challenge' && !path.includes('/gate/check'),
  };
}

/** A common configuration, which takes a process out after one failed exchange. */
async function openHaproxy(t: Test, { at }: DocumentedSite): Promise<Front> {
  const port = await freePort();
  const servers = (address: string) =>
    twice(address)
      .map(
        (each, n) => ` server s${n} ${each} check inter 1s observe layer7 error-limit 1 on-error mark-down`,
      )
      .join('\n');
  const file = join(tempDir(t), 'haproxy.cfg');
  writeFileSync(
    file,
    `global\n log stderr local0 crit\ndefaults\n mode http\n timeout connect 1s\n timeout client 30s\n timeout server 30s
frontend front\n bind 127.0.0.1:${port}\n use_backend challenge if { path_beg /api/captcha }\n default_backend session
backend session\n${servers(at.session)}\nbackend challenge\n${servers(at.challenge)}\n`,
  );
  const child = spawn(haproxy, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(url).catch(() => undefined))) await sleep(20);
  return { url, serves: isPublic };
}

/** An attacker's request to a route; resolves with the status of the response, if there is one. */
type Attack = (url: URL, operation: Operation) => Promise<number | undefined>;

const TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';

/** Sends the pieces one after the other, waits for a response or the end, and closes. */
async function send(
  url: URL,
  { method, path }: Operation,
  head: string,
  pieces: (string | Buffer | number)[],
) {
  const socket = connect(Number(url.port), url.hostname);
  let received = '';
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('data', (text: string) => {
      received += text;
      resolve();
    });
  });
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${url.host}\r\n${head}\r\n`);
  for (const piece of pieces) {
    if (typeof piece !== 'number') socket.write(piece);
    else if (piece > 0) await Promise.race([answered, sleep(piece, undefined, { ref: false })]);
    else break;
  }
  if (pieces.at(-1) !== 0) await answered;
  socket.destroy();
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(received) ?? [];
  return status === undefined ? undefined : Number(status);
}

const FAST: Readonly<Record<string, Attack>> = {
  'a large body': (url, operation) =>
    send(url, operation, `${TYPE}Content-Length: ${LARGE_BYTES}\r\n`, ['x'.repeat(LARGE_BYTES)]),
  'a huge body': (url, operation) =>
    send(url, operation, `${TYPE}Content-Length: ${HUGE.length}\r\n`, [HUGE]),
  'a large body in chunks': (url, operation) => {
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    return send(url, operation, `${TYPE}Transfer-Encoding: chunked\r\n`, [
      chunk.repeat(12),
      20,
      chunk,
      '0\r\n\r\n',
    ]);
  },
  'a large body of JSON, whose end comes later': (url, operation) =>
    send(url, operation, `Content-Type: application/json\r\nContent-Length: ${LARGE_BYTES}\r\n`, [
      ...['x'.repeat(20_000), 30, 'x'.repeat(20_000), 30],
      'x'.repeat(LARGE_BYTES - 40_000),
    ]),
  'a body that ends in the middle': (url, operation) =>
    send(url, operation, `${TYPE}Content-Length: ${LARGE_BYTES}\r\n`, ['x'.repeat(30_000), 20, 0]),
  'broken chunks': (url, operation) =>
    send(url, operation, `${TYPE}Transfer-Encoding: chunked\r\n`, [
      '5\r\nabcde\r\n',
      20,
      'nonsense\r\n',
      20,
      0,
    ]),
  'a header that is too long': (url, operation) =>
    send(url, operation, `X-Long: ${'x'.repeat(1000)}\r\n`.repeat(900), []),
  'a request for a tunnel': (url, operation) => send(url, { ...operation, method: 'CONNECT' }, '', []),
};

const slowBody: Attack = (url, operation) =>
  send(url, operation, `${TYPE}Content-Length: 1000\r\n`, ['x', SLOW_MS / 2, 'x', SLOW_MS / 2, 0]);

/** Users of the site during the attack. */
function startNeighbours(url: string, serves: Front['serves']) {
  const requests = [
    { listener: 'session', method: 'GET', path: '/profile', status: 401 },
    { listener: 'session', method: 'POST', path: '/login', status: 422, body: '{}' },
    { listener: 'challenge', method: 'GET', path: '/api/captcha/pow', status: 200 },
    { listener: 'challenge', method: 'GET', path: '/api/captcha/tollgate.js', status: 200 },
    { listener: 'challenge', method: 'POST', path: '/api/captcha/siteverify', status: 200, body: '{}' },
  ] as const;
  const used = requests.filter(({ listener, method, path }) =>
    serves({ listener, method, path, hasBody: false }),
  );
  const failures: string[] = [];
  let count = 0;
  let isRunning = true;
  const people = used.map(async ({ method, path, status, ...rest }) => {
    const sent = 'body' in rest ? { headers: { 'content-type': 'application/json' }, body: rest.body } : {};
    while (isRunning) {
      count += 1;
      const answer = await ask(url + path, { method, ...sent }).catch((error: Error) => ({
        status: error.message,
      }));
      if (answer.status !== status) failures.push(`${method} ${path}: ${answer.status}`);
      await sleep(25);
    }
  });
  return {
    async stop() {
      isRunning = false;
      await Promise.all(people);
      return { count, failures };
    },
  };
}

async function inBatches<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

t.test('no body takes a process down for other clients, on any route, through any gateway', async (t) => {
  const site = await startDocumentedSite(t, { PUBLIC_URL: 'http://localhost:8080' });
  const fronts = await openFronts(t, site);
  const neighbours = Object.entries(fronts).map(([name, front]) => ({
    name,
    front,
    seen: startNeighbours(front.url, front.serves),
  }));
  const slow = neighbours.flatMap(({ front }) =>
    site.operations.filter(front.serves).map((operation) => slowBody(new URL(front.url), operation)),
  );
  const unanswered: string[] = [];
  const refused: string[] = [];
  for (const { name, front } of neighbours) {
    const attacks = site.operations
      .filter(front.serves)
      .flatMap((operation) => Object.entries(FAST).map(([what, attack]) => ({ operation, what, attack })));
    await inBatches(attacks, async ({ operation, what, attack }) => {
      const status = await attack(new URL(front.url), operation);
      const line = `${name}: ${what} to ${operation.method} ${operation.path}: ${status}`;
      if (!/^a (?:large|huge) body/.test(what)) return;
      if (status === undefined) unanswered.push(line);
      else if (status >= 500) refused.push(line);
    });
  }
  await Promise.all(slow);
  t.strictSame(refused, [], 'no gateway reports an unavailable service');
  t.strictSame(unanswered, [], 'each oversized body gets a response');
  for (const { name, seen } of neighbours) {
    const { count, failures } = await seen.stop();
    t.strictSame(failures, [], `${name}: ${count} requests of other clients`);
  }
  for (const { listener, method, path } of site.operations.filter((operation) => !isPublic(operation))) {
    const url = new URL(`http://${site.at[listener]}`);
    for (const attack of Object.values(FAST)) await attack(url, { listener, method, path, hasBody: true });
    t.equal((await ask(`${url}health/live`)).status, 200, `${listener}: ${method} ${path}`);
  }
});
