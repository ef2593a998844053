// The Compose file's gateway, run by Caddy itself, the example file for nginx, and a rollout behind both: all processes
// restart one after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { examine } from '@tollgate/tools/doctor/examine.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { CHEAP, complaints } from '../doctor/examined-system.js';
import { runDoctor } from '../doctor/run-doctor.js';
import { connectTo } from '../e2e/client.js';
import { Secrets } from '../e2e/secrets.js';
import { CHEAP as UNLIMITED } from '../e2e/site.js';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';
import { ask, type ThrowAwayService } from '../throw-away-service.js';
import {
  caddyBuffering,
  caddyVersion,
  readExample,
  runCaddy,
  runCaddyGateway,
  runNginxGateway,
} from './gateway-programs.js';
import { followsTheRules, repeatsOnlyWhatIsSafe, startAnsweringServices } from './gateway-rules.js';
import { startSteadyLoad } from './steady-load.js';
import { startTwoOfEach } from './two-of-each.js';

const [minor = 0, patch = 0] = caddyVersion();
const waitsWithEverything = minor > 7 || (minor === 7 && patch >= 5);
const CADDYFILE = readExample('Caddyfile');

const upstreams = ({ ports }: System) => ({
  SESSION_UPSTREAM: `127.0.0.1:${ports.session}`,
  CHALLENGE_UPSTREAM: `127.0.0.1:${ports.challenge}`,
  BUFFERING: caddyBuffering(),
});

async function openSystem(
  t: Test,
  publicUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<System> {
  const environment = { ...CHEAP, ...freePorts, DATA_DIR: tempDir(t), PUBLIC_URL: publicUrl, ...variables };
  const system = await startSystem({ startService: startServiceHere, environment });
  t.teardown(() => system.stop());
  return system;
}

/** Doctor's verdict from outside. */
async function verdict(system: System, publicUrl: string, challengePrefix = 'api/captcha') {
  const report = await examine({
    publicUrl,
    challengePrefix,
    pageOrigin: new URL(publicUrl).origin,
    account: system.demo,
    fields: { token: 'pow_token', nonce: 'pow_nonce' },
    env: {},
    root: projectRoot,
  });
  return complaints(report);
}

/** Through each gateway. */
const REQUESTS = 2_000;
const PEOPLE = 10;
/** Long enough that the requests last for a restart of every process. */
const PAUSE_MS = 75;
/** A gateway checks every second: it must find a restarted process before the next one stops. */
const FOUND_MS = 2_500;

t.test('Caddy: routes and headers', async (t) => {
  const services = await startAnsweringServices(t);
  const host = (service: ThrowAwayService) => new URL(service.url).host;
  const { url } = await runCaddyGateway(t, {
    port: await freePort(),
    sessions: [host(services.session)],
    challenges: [host(services.challenge)],
  });
  await t.test('it buffers no more of a body than the services read', async (t) => {
    for (const path of ['/login', '/refresh/bind', '/api/captcha/siteverify']) {
      for (const bytes of [20_000, 99_999, 2_000_000]) {
        // The rest is not sent: it could reset the connection, and lose the response.
        const refused = await ask(url + path, {
          method: 'POST',
          headers: { 'content-length': String(bytes) },
          body: Buffer.alloc(20_000),
        });
        t.match(
          refused,
          { status: 413, headers: { 'cache-control': 'no-store' } },
          `${bytes} bytes to ${path}`,
        );
        t.equal(JSON.parse(refused.text).code, 'body_too_large');
      }
    }
    t.strictSame([...services.session.received, ...services.challenge.received], []);
    t.equal((await ask(`${url}/login`, { method: 'POST', body: Buffer.alloc(19_999) })).status, 200);
    t.equal(services.session.received.pop()?.body.length, 19_999);
  });
  await followsTheRules(t, url, services);
});

// With a limit, Caddy forwards longer or broken bodies as they arrive: broken chunks of a client then count as failures of
// the process, and a GET with them is repeated for ten seconds.
t.test('Caddy: it forwards no body before it is complete', async (t) => {
  t.match(CADDYFILE, /^\t\{\$BUFFERING:request_buffers unlimited\}$/m);
});

/** Starts the gateway in front of these session-service processes. */
async function openBefore(t: Test, sessions: readonly string[]): Promise<string> {
  const { url } = await runCaddyGateway(t, {
    port: await freePort(),
    sessions,
    challenges: ['127.0.0.1:1'],
  });
  return url;
}

t.test('Caddy: repeats', (t) => repeatsOnlyWhatIsSafe(t, openBefore));

t.test('Caddy: while the only process restarts, requests wait for it', async (t) => {
  const port = await freePort();
  const url = await openBefore(t, [`127.0.0.1:${port}`]);
  // Caddy before 2.7.5 makes a POST wait only for a process that it has not yet marked as down.
  const method = waitsWithEverything ? 'POST' : 'GET';
  const answer = ask(`${url}/sessions`, { method });
  t.equal(await Promise.race([answer, sleep(500, 'waits')]), 'waits');
  const started = createServer((_request, response) => response.end('here')).listen(port, '127.0.0.1');
  t.teardown(() => started.close());
  t.match(await answer, { status: 200, text: 'here' });
});

t.test('Caddy: a login waits for the only process, which pauses for three seconds', async (t) => {
  const port = await freePort();
  const program = `require('node:http').createServer((_request, response) => response.end('here'))
    .listen(${port}, '127.0.0.1', () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const url = await openBefore(t, [`127.0.0.1:${port}`]);
  t.equal((await ask(`${url}/login`, { method: 'POST' })).status, 200);
  child.kill('SIGSTOP');
  await sleep(3_000);
  const answer = ask(`${url}/login`, { method: 'POST' });
  t.equal(await Promise.race([answer, sleep(200, 'waits')]), 'waits');
  child.kill('SIGCONT');
  t.match(await answer, { status: 200, text: 'here' });
});

t.test(
  'Caddy: the whole system behind it: doctor logs in, refreshes, logs out and finds nothing',
  async (t) => {
    const port = await freePort();
    const publicUrl = `http://localhost:${port}`;
    const system = await openSystem(t, publicUrl);
    await runCaddy(t, CADDYFILE, { PUBLIC_URL: publicUrl, ...upstreams(system) }, port);
    t.strictSame(await verdict(system, publicUrl), []);
  },
);

t.test('Caddy: with a path, which is stripped and is part of the cookie path', async (t) => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const system = await openSystem(t, `${origin}/auth`);
  const variables = { PUBLIC_URL: origin, PUBLIC_PATH: '/auth', ...upstreams(system) };
  await runCaddy(t, CADDYFILE, variables, port);
  t.strictSame(await verdict(system, `${origin}/auth`), []);
  for (const path of ['/login', '/authx/login', '/auth/metrics']) {
    t.equal((await ask(`${origin}${path}`)).status, 404, path);
  }
});

t.test('Caddy: another challenge path follows the same variable', async (t) => {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const prefix = { CAPTCHA_ROUTES_PREFIX: 'challenges/v1' };
  const system = await openSystem(t, publicUrl, prefix);
  await runCaddy(t, CADDYFILE, { PUBLIC_URL: publicUrl, ...prefix, ...upstreams(system) }, port);
  t.strictSame(await verdict(system, publicUrl, 'challenges/v1'), []);
  t.equal((await ask(`${publicUrl}/challenges/v1`)).status, 200);
  for (const path of ['/api/captcha', '/api/captcha/pow', '/challenges', '/challenges/v1x']) {
    t.equal((await ask(`${publicUrl}${path}`)).status, 404, path);
  }
});

t.test('Caddy: over https, the command as an operator runs it', async (t) => {
  const [port, plainPort] = [await freePort(), await freePort()];
  const publicUrl = `https://localhost:${port}`;
  const system = await openSystem(t, publicUrl);
  // A test must not change a trust store, and port 80 is not its own.
  const here = CADDYFILE.replace('admin off', `admin off\n\tskip_install_trust\n\thttp_port ${plainPort}`);
  const { folder } = await runCaddy(t, here, { PUBLIC_URL: publicUrl, ...upstreams(system) }, port);
  const plain = await ask(`http://localhost:${plainPort}/login`);
  t.equal(plain.status, 308);
  t.match(plain.headers.location, /^https:\/\/localhost/);

  const { email = '', password = '' } = system.demo ?? {};
  const doctor = (args: string[], env: Readonly<Record<string, string>>) =>
    runDoctor(args, env, `${password}\n`);
  const trusted = {
    PUBLIC_URL: publicUrl,
    NODE_EXTRA_CA_CERTS: join(folder, 'caddy', 'pki', 'authorities', 'local', 'root.crt'),
  };

  await t.test('it prints its findings, and no secrets', async (t) => {
    const { code, out, error } = await doctor(['--email', email], trusted);
    t.equal(error, '');
    t.strictSame(
      out.split('\n').filter((line) => line !== '' && !line.startsWith('good ')),
      [
        'skipped  Cross-origin calls: set CORS_ORIGIN or --origin.',
        "skipped  Secrets, stores and users: need the session service's environment.",
        '0 problems, 0 warnings, 13 good',
      ],
    );
    t.match(out, 'good     The connection is encrypted and its certificate is valid.');
    t.equal(code, 0);
    t.notMatch(out, password);
  });

  await t.test('as JSON, without an account', async (t) => {
    const { code, out } = await doctor([publicUrl, '--json'], { ...trusted, PUBLIC_URL: '' });
    t.equal(code, 0);
    const report = JSON.parse(out);
    t.strictSame(Object.keys(report), ['public_url', 'findings', 'not_looked_at']);
    t.equal(report.public_url, publicUrl);
    t.strictSame(report.findings[0], {
      check: 'reach',
      severity: 'good',
      message: `Both services respond at ${publicUrl}.`,
    });
    t.ok(report.not_looked_at.includes('Login, cookie, refresh and logout: set --email.'));
  });

  await t.test('an untrusted certificate is a problem', async (t) => {
    const { code, out } = await doctor([publicUrl], {});
    t.equal(code, 1);
    t.match(out, /^problem {2}https:\/\/localhost:\d+ does not respond: .*certificate/);
  });

  await t.test('--connect and --origin', async (t) => {
    const args = [
      '--connect',
      '127.0.0.1',
      '--origin',
      'https://app.example.org',
      '--prefix',
      '/api/captcha/',
    ];
    const { code, out } = await doctor(args, trusted);
    t.equal(code, 1);
    t.match(out, /https:\/\/app\.example\.org is another site than/);
  });
});

t.test('nginx: routes and headers', async (t) => {
  const services = await startAnsweringServices(t);
  const { url } = await runNginxGateway(t, {
    port: await freePort(),
    sessions: [new URL(services.session.url).host],
    challenges: [new URL(services.challenge.url).host],
  });
  const big = await ask(`${url}/login`, { method: 'POST', body: Buffer.alloc(2_000_000) });
  t.match(big, { status: 413, headers: { 'cache-control': 'no-store' } });
  t.equal(JSON.parse(big.text).code, 'body_too_large');
  await followsTheRules(t, url, services);
});

t.test('nginx: repeats', async (t) => {
  await repeatsOnlyWhatIsSafe(t, async (t, sessions) => {
    const { url } = await runNginxGateway(t, {
      port: await freePort(),
      sessions,
      challenges: ['127.0.0.1:1'],
    });
    return url;
  });
});

for (const [path, title] of [
  ['', 'the whole system behind it: doctor logs in, refreshes, logs out and finds nothing'],
  ['/auth', 'with a path, which is stripped and is part of the cookie path'],
] as const) {
  t.test(`nginx: ${title}`, async (t) => {
    const port = await freePort();
    const publicUrl = `http://localhost:${port}${path}`;
    const environment = { ...CHEAP, ...freePorts, DATA_DIR: tempDir(t), PUBLIC_URL: publicUrl };
    const system = await startSystem({ startService: startServiceHere, environment });
    t.teardown(() => system.stop());
    const upstreams = {
      sessions: [`127.0.0.1:${system.ports.session}`],
      challenges: [`127.0.0.1:${system.ports.challenge}`],
    };
    // As described at the head of the file.
    const stripped = (file: string) =>
      file.replace('    location / {', `    location /auth/ { rewrite ^/auth(/.*)$ $1 last; }\n$&`);
    const { url } = await runNginxGateway(t, { port, ...upstreams }, path === '' ? undefined : stripped);
    const report = await examine({
      publicUrl,
      challengePrefix: 'api/captcha',
      pageOrigin: url,
      account: system.demo,
      fields: { token: 'pow_token', nonce: 'pow_nonce' },
      env: {},
      root: projectRoot,
    });
    t.strictSame(complaints(report), []);
    if (path !== '') t.equal((await ask(`${url}/authx/login`)).status, 404);
  });
}

t.test(
  '2,000 requests through each gateway while two processes of each service on one machine are restarted: none fails',
  async (t) => {
    const caddyPort = await freePort();
    const { sessions, challenges, logs } = await startTwoOfEach(t, {
      ...UNLIMITED,
      PUBLIC_URL: `http://localhost:${caddyPort}`,
    });
    const upstreams = { sessions: sessions.map(({ at }) => at), challenges: challenges.map(({ at }) => at) };
    const gateways = {
      Caddy: await runCaddyGateway(t, { port: caddyPort, ...upstreams }),
      nginx: await runNginxGateway(t, { port: await freePort(), ...upstreams }),
    };

    const secrets = new Secrets();
    secrets.note(PASSWORD);
    const loads = Object.entries(gateways).map(([name, gateway], at) => {
      const client = connectTo(gateway.url, secrets);
      t.teardown(() => client.close());
      const options = { people: PEOPLE, pauseMs: PAUSE_MS, firstUser: 1 + at * PEOPLE };
      return { name, gateway, load: startSteadyLoad(client, secrets, options) };
    });
    const haveSent = async (count: number) => {
      while (loads.some(({ load }) => load.count < count)) await sleep(50);
    };

    await haveSent(REQUESTS / 10);
    // One after the other, repeatedly while requests remain: each is sent during a rollout.
    for (let round = 0; round < 2 || loads.some(({ load }) => load.count < REQUESTS); round++) {
      const stops = await Promise.all([sessions, challenges].map((nodes) => nodes[round % 2]?.restart()));
      for (const stop of stops) {
        t.equal(stop?.code, 0);
        t.comment(`${stop?.service} ended after ${Math.round(stop?.ms ?? 0)} ms`);
      }
      await sleep(FOUND_MS);
    }

    const finished = await Promise.all(
      loads.map(async (each) => ({ ...each, failures: await each.load.stop() })),
    );
    for (const { name, gateway, load, failures } of finished) {
      await t.test(name, async (t) => {
        t.comment(`${load.count} requests, ${failures.length} failed`);
        t.strictSame(failures, []);
        t.ok(load.count >= REQUESTS);
        const lines = () => gateway.log().split('"status":').length - 1;
        while (lines() < load.count) await sleep(20);
        t.pass('the gateway has logged a line for each');
        t.strictSame(secrets.leaksIn(gateway.log()), [], 'and no secrets');
      });
    }
    t.notMatch(logs(), /other CAPTCHA_ options/, 'no process warns about itself');
  },
);
