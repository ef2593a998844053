// Requirements for every production gateway, tested on services that respond to everything.

import type { Test } from 'tap';
import { ask, startService, type ThrowAwayService } from '../throw-away-service.js';

/** Services that respond to everything. */
interface AnsweringServices {
  readonly session: ThrowAwayService;
  readonly challenge: ThrowAwayService;
}

/** Headers that a client may forge. */
const CLAIMS = {
  'X-Forwarded-For': '198.51.100.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'elsewhere.example',
  Forwarded: 'for=198.51.100.7',
  'X-Auth-User-Id': '1',
  'x-auth-session-id': 'x',
  Origin: 'https://foreign.example',
  'Sec-Fetch-Site': 'cross-site',
  Cookie: 'refreshToken=a%2Bb; refreshToken=c',
};

/** Starts services that respond to everything. */
export async function startAnsweringServices(t: Pick<Test, 'teardown'>): Promise<AnsweringServices> {
  const [session, challenge] = await Promise.all([startService(), startService()]);
  t.teardown(() => Promise.all([session.close(), challenge.close()]));
  return { session, challenge };
}

/** Tests routes and headers, and finally the error for an unavailable service. @param url of the gateway, with a port */
export async function followsTheRules(t: Test, url: string, services: AnsweringServices): Promise<void> {
  const { session, challenge } = services;

  await t.test('each path goes to its service, with all paths below it', async (t) => {
    const paths = [
      ...['/login', '/refresh', '/logout', '/sessions', '/sessions/x', '/profile', '/verify'],
      '/.well-known/jwks.json',
    ];
    for (const path of paths) t.equal((await ask(`${url}${path}?a=%2B`)).status, 200);
    t.strictSame(
      session.received.map((each) => each.url),
      paths.map((path) => `${path}?a=%2B`),
    );
    for (const path of ['/api/captcha', '/api/captcha/pow', '/api/captcha/x.png']) {
      t.equal((await ask(`${url}${path}`)).status, 200);
      t.equal(challenge.received.at(-1)?.url, path);
    }
    for (const path of [
      '/',
      '/metrics',
      '/health/ready',
      '/health/serving',
      '/introspect',
      '/loginx',
      '/api/captchax',
      '/users/1/sessions',
      '/.well-known/jwks',
      '/.well-known/openid-configuration',
    ]) {
      const answer = await ask(`${url}${path}`);
      t.equal(answer.status, 404, path);
      t.strictSame(JSON.parse(answer.text), {
        message: 'Not found.',
        code: 'not_found',
      });
      t.equal(answer.headers['cache-control'], 'no-store');
      t.match(answer.headers['content-type'], /^application\/json/);
    }
  });

  await t.test('forged headers are removed, and the client is the connected address', async (t) => {
    await ask(`${url}/login`, { method: 'POST', headers: CLAIMS, body: '{}' });
    const headers = session.received.at(-1)?.headers ?? {};
    t.equal(headers['x-forwarded-for'], headers['x-forwarded-for']?.includes(':') ? '::1' : '127.0.0.1');
    t.equal(headers['x-forwarded-proto'], 'http');
    t.equal(headers['x-forwarded-host'], new URL(url).host);
    for (const name of ['forwarded', 'x-auth-user-id', 'x-auth-session-id'])
      t.equal(headers[name], undefined);
    t.equal(headers.origin, CLAIMS.Origin);
    t.equal(headers['sec-fetch-site'], 'cross-site');
    t.equal(headers.cookie, CLAIMS.Cookie);
    t.equal(session.received.at(-1)?.body, '{}');
  });

  await t.test('paths below /refresh get their response before other hanging requests', async (t) => {
    session.hang();
    const hanging = ask(`${url}/login`, { method: 'POST', body: '{}' });
    const renewals = ['/refresh/renew', '/refresh/bind'].map((path) => ask(url + path, { method: 'POST' }));
    for (const renewal of renewals) {
      const first = await Promise.race([renewal, hanging]);
      t.match(first, { status: 503, headers: { 'cache-control': 'no-store', 'retry-after': '1' } });
      t.equal(first, await renewal);
    }
    // The service is unavailable from here on, which ends the login.
    await Promise.all([session.close(), hanging]);
  });

  await t.test('an unavailable service', async (t) => {
    const answer = await ask(`${url}/profile`);
    t.match(answer, { status: 503, headers: { 'retry-after': '1', 'cache-control': 'no-store' } });
    t.equal(JSON.parse(answer.text).code, 'upstream_unavailable');
    t.equal((await ask(`${url}/api/captcha/pow`)).status, 200);
  });
}

/**
 * Tests that a request is repeated only if that is harmless.
 * @param open starts a gateway in front of these session-service processes and returns its address
 */
export async function repeatsOnlyWhatIsSafe(
  t: Test,
  open: (t: Test, sessions: readonly string[]) => Promise<string>,
): Promise<void> {
  const login = { method: 'POST', body: '{"email":"a@example.com"}' };
  /** A working process beside one that reads each request and closes the connection without a response. */
  const openPair = async (t: Test) => {
    const [broken, working] = await Promise.all([
      startService((_received, response) => void response.socket?.destroy()),
      startService(),
    ]);
    t.teardown(() => Promise.all([broken.close(), working.close()]));
    const url = await open(
      t,
      [broken, working].map((service) => new URL(service.url).host),
    );
    return { url, broken, working };
  };
  const inTurn = async (count: number, send: () => Promise<{ status: number }>) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push((await send()).status);
    return statuses;
  };

  /** Sends until the broken process has received a request: a gateway may choose at random. */
  const untilBroken = async (
    broken: { readonly received: readonly unknown[] },
    send: () => Promise<{ status: number }>,
  ) => {
    const statuses: number[] = [];
    while (broken.received.length === 0) statuses.push((await send()).status);
    return statuses;
  };

  await t.test('a request that no process has received is sent to another one, with its body', async (t) => {
    const [gone, working] = await Promise.all([startService(), startService()]);
    t.teardown(() => working.close());
    await gone.close();
    const url = await open(
      t,
      [gone, working].map((service) => new URL(service.url).host),
    );
    t.strictSame(await inTurn(4, () => ask(`${url}/login`, login)), [200, 200, 200, 200]);
    t.strictSame(
      working.received.map(({ body }) => body),
      [login.body, login.body, login.body, login.body],
    );
  });

  await t.test('a login that a process may have received is not repeated', async (t) => {
    const { url, broken, working } = await openPair(t);
    const statuses = await untilBroken(broken, () => ask(`${url}/login`, login));
    t.equal(statuses.pop(), 503);
    t.strictSame(
      statuses,
      statuses.map(() => 200),
    );
    t.strictSame(await inTurn(3, () => ask(`${url}/login`, login)), [200, 200, 200]);
    t.equal(broken.received.length, 1);
    t.equal(working.received.length, statuses.length + 3);
  });

  await t.test('a GET is repeated, and so is a refresh', async (t) => {
    for (const [method, path] of [
      ['GET', '/profile'],
      ['POST', '/refresh'],
    ] as const) {
      const { url, broken } = await openPair(t);
      const statuses = await untilBroken(broken, () => ask(url + path, { method }));
      t.strictSame(
        statuses,
        statuses.map(() => 200),
        path,
      );
      t.equal(broken.received.length, 1, 'one of them met the broken process');
    }
  });
}
