// Both services on their own ports with only the specification's three secrets, started as a reader would.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { hashPassword } from '@tollgate/session-service/passwords/password-hash.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import type { Environment, Ports, ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import t, { type Test } from 'tap';
import { solve, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';

const SECRETS = { ACCESS_SECRET: 'access', REFRESH_SECRET: 'refresh', ENCRYPTION_KEY: 'encryption' };
const PASSWORD = 'correct horse battery staple';

t.test('three short secrets start both services, and a user logs in and refreshes', async (t) => {
  const folder = tempDir(t);
  const ports = await settlePorts(ANY_PORTS);
  const log = await startBoth(t, folder, ports, { ...SECRETS, NODE_ENV: 'test' });
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  t.teardown(() => directory.close());
  await directory.add('dave@example.com', await hashPassword(PASSWORD));

  const challenges = `http://localhost:${ports.challenge}/api/captcha`;
  const work = (await (await fetch(`${challenges}/pow`)).json()) as Work;
  const session = `http://localhost:${ports.session}`;
  const signedIn = await fetch(`${session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: 'dave@example.com',
      password: PASSWORD,
      pow_token: work.token,
      pow_nonce: solve(work),
    }),
  });
  t.equal(signedIn.status, 200, 'both services have the same challenge secret');
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .find((pair) => /^refreshToken=./.test(pair));
  t.match(await fetch(`${session}/refresh`, { method: 'POST', headers: { Cookie: cookie ?? '' } }), {
    status: 200,
  });

  const { url } = (await (await fetch(challenges)).json()) as { url: string };
  t.ok(url.startsWith(`${challenges}/`), 'the image address is at challenge-service');
  t.equal((await fetch(url)).headers.get('content-type'), 'image/png');

  t.equal(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
  for (const name of Object.keys(SECRETS)) t.match(log('session-service'), new RegExp(`"${name} must have`));
  const made = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')).CHALLENGE_SECRET;
  for (const service of ['session-service', 'challenge-service'] as const)
    t.notOk(log(service).includes(made));
});

t.test('settings with an unintended effect are warnings in the log', async (t) => {
  const ports = await settlePorts(ANY_PORTS);
  const log = await startBoth(t, tempDir(t), ports, {
    ...Object.fromEntries(Object.keys(SECRETS).map((name) => [name, `${name}-of-more-than-32-characters`])),
    CHALLENGE_SECRET: 'CHALLENGE_SECRET-of-more-than-32-characters',
    PUBLIC_URL: 'http://192.168.1.5',
    RATE_LIMIT_LOGINS: '5',
    REFRESH_WINDOWS: '5',
    HOST_API_TOKEN: 'x',
  });
  t.match(log('session-service'), /"msg":"PUBLIC_URL http:\/\/192\.168\.1\.5 is plain http: browsers drop/);
  t.match(log('challenge-service'), /browsers drop/);
  t.match(log('session-service'), /"msg":"RATE_LIMIT_LOGINS is not known: RATE_LIMIT_LOGIN may be meant"/);
  t.match(log('session-service'), /"msg":"REFRESH_WINDOWS is not known: REFRESH_WINDOW may be meant"/);
  t.match(log('challenge-service'), /"msg":"HOST_API_TOKEN is not known"/);
});

/** Starts both services and returns the log of each. */
async function startBoth(
  t: Test,
  folder: string,
  ports: Ports,
  variables: Environment,
): Promise<(name: ServiceName) => string> {
  const start = (name: ServiceName, own: Environment) => {
    const service = startServiceHere(name, {
      environment: { DATA_DIR: folder, DRAIN_SECONDS: '0', ...variables, ...own },
      logFile: join(folder, 'logs', `${name}.log`),
    });
    t.teardown(() => service.stop(5_000));
    return service;
  };
  const session = start('session-service', {
    PORT: String(ports.session),
    SESSION_ADMIN_PORT: String(ports.sessionAdmin),
  });
  const challenge = start('challenge-service', {
    PORT: String(ports.challenge),
    CHALLENGE_ADMIN_PORT: String(ports.challengeAdmin),
  });
  await waitUntilAllReady(
    [
      { service: session, url: `http://127.0.0.1:${ports.sessionAdmin}/health/ready`, explain: String },
      { service: challenge, url: `http://127.0.0.1:${ports.challengeAdmin}/health/ready`, explain: String },
    ],
    { unreadyMs: 10_000, silentMs: 30_000 },
  );
  return (name) => (name === 'session-service' ? session : challenge).log();
}
