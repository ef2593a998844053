// The admin port: routes for other services, protected by the API key.

import { openRevocationLog } from '@tollgate/shared/sessions';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import t from 'tap';
import {
  API_KEY,
  logIn,
  PUBLIC_URL,
  refresh,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const FORM = 'application/x-www-form-urlencoded';

function introspect(
  { admin }: SessionNode,
  payload: string,
  headers: InjectOptions['headers'] = {},
): Promise<LightMyRequestResponse> {
  return admin.inject({
    method: 'POST',
    url: '/introspect',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': FORM, ...headers },
    payload,
  });
}

const formOf = (token: string) => new URLSearchParams({ token }).toString();

t.test('an access token is active in introspection; a refresh token or any other text is not', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com');
    const node = await startNode(t, { store, directory });
    const held = await logIn(node, 'ann@example.com');
    const sid = await sessionIdOf(node, held);
    const answer = await introspect(node, `${formOf(held.accessToken)}&token_type_hint=access_token`);
    t.equal(answer.statusCode, 200);
    t.equal(answer.headers['cache-control'], 'no-store');
    const { iat, exp, auth_time, ...rest } = answer.json();
    const claims = { sub: '1', email: 'ann@example.com', sid, amr: ['pwd'] };
    t.strictSame(rest, { active: true, token_type: 'Bearer', ...claims });
    t.equal(auth_time, iat);
    t.equal(exp - iat, 900);
    t.ok(Math.abs(iat - Date.now() / 1000) < 5);

    const refreshToken = held.cookie.slice(held.cookie.indexOf('=') + 1);
    for (const token of [refreshToken, 'x', '%', `${held.accessToken} `, 'x'.repeat(10_000)]) {
      const other = await introspect(node, formOf(token));
      t.equal(other.statusCode, 200);
      t.strictSame(other.json(), { active: false });
    }
    await withBearer(node, 'POST', '/logout', held);
    t.strictSame((await introspect(node, formOf(held.accessToken))).json(), { active: false });
  });
});

t.test('introspection accepts forms only, with exactly one token', async (t) => {
  const { store } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t) });
  const json = await introspect(node, '{"token":"x"}', { 'content-type': 'application/json' });
  t.equal(json.statusCode, 415);
  t.equal(json.json().code, 'unsupported_media_type');
  t.equal((await introspect(node, 'token=x', { 'content-type': 'text/plain' })).statusCode, 415);
  t.equal((await introspect(node, `token=${'x'.repeat(17_000)}`)).statusCode, 413);
  for (const [payload, message] of [
    ['', 'This field is required.'],
    ['token=', 'This field is required.'],
    ['__proto__=x&constructor=y', 'This field is required.'],
    ['token=a&token=b', 'This value is of the wrong type.'],
  ] as const) {
    const answer = await introspect(node, payload);
    t.equal(answer.statusCode, 422);
    t.strictSame(answer.json(), {
      message: 'Some of the data is missing or wrong.',
      code: 'validation_failed',
      errors: { token: [message] },
    });
  }
});

t.test('without the right key nothing is parsed or disclosed', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const held = await logIn(node, 'ann@example.com');
  const wrong = [
    undefined,
    '',
    API_KEY,
    `Basic ${API_KEY}`,
    `Bearer ${API_KEY.slice(0, -1)}`,
    `Bearer ${API_KEY}x`,
    `Bearer ${held.accessToken}`,
    `Bearer ${'x'.repeat(8000)}`,
  ];
  for (const authorization of wrong) {
    const headers = {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    };
    for (const [method, url] of [
      ['POST', '/introspect'],
      ['DELETE', '/users/1/sessions'],
      ['DELETE', '/users/x/sessions'],
      ['POST', '/users/1/sign-in-codes'],
      ['GET', '/users/1/sessions'],
      ['DELETE', '/users/1/sessions/x'],
      ['PUT', '/users/1/password'],
    ] as const) {
      // Media type, JSON and body length are not checked before the key.
      const answer = await node.admin.inject({ method, url, headers, payload: `{${'x'.repeat(20_000)}` });
      t.equal(answer.statusCode, 401);
      t.equal(answer.headers['www-authenticate'], 'Bearer');
      t.strictSame(answer.json(), {
        message: 'Missing or invalid API key.',
        code: 'api_key_invalid',
      });
    }
  }
  t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
});

t.test('without a configured key these routes do not exist; health and metrics do', async (t) => {
  const { store } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t), env: { SESSION_API_KEY: '' } });
  for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${API_KEY}`]) {
    const asked = await introspect(node, 'token=x', { authorization });
    t.equal(asked.statusCode, 404);
    t.strictSame(asked.json(), { message: 'Not found.', code: 'not_found' });
    const ended = await node.admin.inject({
      method: 'DELETE',
      url: '/users/1/sessions',
      headers: { authorization },
    });
    t.equal(ended.statusCode, 404);
    const code = await node.admin.inject({
      method: 'POST',
      url: '/users/1/sign-in-codes',
      headers: { authorization },
      payload: { origin: PUBLIC_URL },
    });
    t.equal(code.json().code, 'not_found');
  }
  t.equal((await node.admin.inject({ url: '/health/live' })).statusCode, 200);
  t.equal((await node.admin.inject({ url: '/metrics' })).statusCode, 200);
  t.equal((await node.app.inject({ method: 'POST', url: '/introspect' })).statusCode, 404);
  t.equal((await node.app.inject({ url: '/metrics' })).statusCode, 404, 'not on the public port');
});

t.test("all sessions of one user end at once, and other users' sessions continue", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com', 'bob@example.com');
    const node = await startNode(t, { store, directory });
    const ended = [await logIn(node, 'ann@example.com'), await logIn(node, 'ann@example.com')];
    const bob = await logIn(node, 'bob@example.com');
    const end = (id: string) =>
      node.admin.inject({
        method: 'DELETE',
        url: `/users/${id}/sessions`,
        headers: { authorization: `Bearer ${API_KEY}` },
      });
    const answer = await end('1');
    t.equal(answer.statusCode, 204);
    t.equal(answer.body, '');
    for (const held of ended) {
      t.equal((await withBearer(node, 'GET', '/profile', held)).json().code, 'session_revoked');
      t.equal((await refresh(node, held)).json().code, 'session_revoked');
    }
    t.equal((await withBearer(node, 'GET', '/profile', bob)).statusCode, 200);
    t.equal((await end('1')).statusCode, 204, 'again');
    t.equal((await end('99')).statusCode, 204, 'a user without sessions');
    for (const id of ['0', '-1', '-', '1.5', '01', '9007199254740993', '1:7']) {
      t.equal((await end(id)).statusCode, 404, id);
    }
    const again = await logIn(node, 'ann@example.com');
    t.equal((await withBearer(node, 'GET', '/profile', again)).statusCode, 200);
  });
});

t.test('metrics count every event and every token by key, and report the lag', async (t) => {
  const { store } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t, 'ann@example.com') });
  const text = async () => (await node.admin.inject({ url: '/metrics' })).body;
  const before = await text();
  for (const event of [
    ...['login', 'login_failed', 'login_throttled', 'refresh_reuse_detected'],
    ...['state_rollback', 'logout', 'revoke'],
  ]) {
    t.match(before, `tollgate_audit_events_total{event="${event}"} 0\n`);
  }
  const held = await logIn(node, 'ann@example.com');
  await refresh(node, held);
  await withBearer(node, 'POST', '/logout', held);
  const answer = await node.admin.inject({ url: '/metrics' });
  t.match(answer.headers['content-type'], /^text\/plain; version=0\.0\.4/);
  t.match(answer.body, 'tollgate_audit_events_total{event="login"} 1\n');
  t.match(answer.body, 'tollgate_audit_events_total{event="logout"} 1\n');
  t.match(answer.body, /tollgate_tokens_made_total\{kind="access",key="[0-9a-f]{8}"\} 2\n/);
  t.match(answer.body, /tollgate_tokens_made_total\{kind="refresh",key="[0-9a-f]{8}"\} 2\n/);
  t.match(answer.body, 'tollgate_revocation_lag_seconds 0\n');
  t.match(answer.body, 'tollgate_revoked_sessions 1\n');
  t.match(answer.body, 'tollgate_password_checks{state="running"} 0\n');
  t.match(
    answer.body,
    'tollgate_http_request_duration_seconds_count{listener="admin",method="GET",route="/metrics",status="200"} 1\n',
    'requests to the admin port, too',
  );
  t.notMatch(answer.body, held.accessToken);
});

t.test('in test mode every admin response says so', async (t) => {
  const { store } = embeddedStore(t);
  const directory = await userDirectory(t);
  for (const testMode of ['true', 'false']) {
    const env = { CAPTCHA_TEST_MODE: testMode, PUBLIC_URL: 'http://localhost:8080' };
    const node = await startNode(t, { store, directory, env });
    for (const url of ['/health/live', '/metrics', '/nothing', '/introspect']) {
      const { headers } = await node.admin.inject({ url });
      t.equal(headers['x-captcha-test-mode'], testMode === 'true' ? '1' : undefined, url);
    }
  }
});

// GET /sessions/revoked: ended sessions for services that verify tokens themselves.

interface Page {
  readonly sessions: readonly { readonly sid: string; readonly until: number }[];
  readonly cursor: string;
  readonly complete: boolean;
}

function ask({ admin }: SessionNode, query: Readonly<Record<string, string>> = {}, key = API_KEY) {
  return admin.inject({ url: '/sessions/revoked', query, headers: { authorization: `Bearer ${key}` } });
}

async function pageOf(node: SessionNode, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const answer = await ask(node, query);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`);
  return answer.json();
}

const idsOf = ({ sessions }: Page) => sessions.map(({ sid }) => sid);

t.test('ended sessions are returned in order, once, from any cursor', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com', 'bob@example.com');
    const node = await startNode(t, { store, directory });
    t.strictSame(await pageOf(node), { sessions: [], cursor: '0', complete: true });
    const [one, two, bob] = [
      await logIn(node, 'ann@example.com'),
      await logIn(node, 'ann@example.com'),
      await logIn(node, 'bob@example.com'),
    ];
    const ids = [await sessionIdOf(node, one), await sessionIdOf(node, two), await sessionIdOf(node, bob)];
    await withBearer(node, 'POST', '/logout', one);
    const first = await pageOf(node);
    t.strictSame(idsOf(first), [ids[0]]);
    const lastsSeconds = (first.sessions[0]?.until ?? 0) - (await store.timeMs()) / 1000;
    t.ok(lastsSeconds > 900 && lastsSeconds < 970, 'until the last of its tokens has expired');
    t.match(await pageOf(node, { since: first.cursor }), {
      sessions: [],
      cursor: first.cursor,
      complete: true,
    });

    await withBearer(node, 'POST', '/logout', two);
    await withBearer(node, 'POST', '/logout', bob);
    t.strictSame(idsOf(await pageOf(node, { since: first.cursor })), [ids[1], ids[2]]);
    const pages: string[] = [];
    let query: { since?: string; limit: string } = { limit: '1' };
    for (let complete = false; !complete; ) {
      const page = await pageOf(node, query);
      t.ok(page.sessions.length <= 1);
      pages.push(...idsOf(page));
      query = { ...query, since: page.cursor };
      ({ complete } = page);
    }
    t.strictSame(pages, ids);
  });
});

t.test('an entry is returned until its tokens have expired, and a cursor outlives it', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const node = await startNode(t, { store, directory: await userDirectory(t) });
    const log = openRevocationLog(store);
    const sids = ['A', 'B', 'C'].map((letter) => letter.repeat(22)) as [string, string, string];
    await log.append({ sids: sids.slice(0, 2), keepMs: 960_000 });
    const { sessions, cursor } = await pageOf(node, { limit: '1' });
    t.strictSame(
      sessions.map(({ sid }) => sid),
      sids.slice(0, 2),
      'sessions that ended together come together',
    );
    await age(970_000);
    t.strictSame(idsOf(await pageOf(node)), []);
    await log.append({ sids: [sids[2]], keepMs: 960_000 });
    t.strictSame(idsOf(await pageOf(node, { since: cursor })), [sids[2]]);
  });
});

t.test('the route requires the key, and a valid cursor and limit', async (t) => {
  const { store, redis } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t) });
  for (const key of ['', 'x', `${API_KEY}x`]) {
    const refused = await ask(node, { since: 'x' }, key);
    t.equal(refused.statusCode, 401);
    t.equal(refused.json().code, 'api_key_invalid');
    t.equal(refused.headers['cache-control'], 'no-store');
  }
  const wrong = [
    '',
    'x',
    '-1',
    '$',
    '+',
    '0x10',
    '1-',
    '-',
    '1-2-3',
    '1'.repeat(17),
    `1-${2n ** 64n}`,
    `1-${'2'.repeat(21)}`,
    '\0',
    '1 STREAMS',
  ];
  for (const since of wrong) t.equal((await ask(node, { since })).statusCode, 422, since);
  for (const limit of ['0', '-1', '1001', '1.5', 'x', '', '1e9']) {
    t.equal((await ask(node, { limit })).statusCode, 422, limit);
  }
  for (const url of ['/sessions/revoked?since=1&since=2', '/sessions/revoked?limit[]=1&limit[]=2']) {
    const answer = await node.admin.inject({ url, headers: { authorization: `Bearer ${API_KEY}` } });
    t.ok([200, 422].includes(answer.statusCode), url);
  }
  for (const since of ['18446744073709'.padEnd(16, '9'), `1-${'9'.repeat(19)}`])
    t.match(await pageOf(node, { since }), { sessions: [] });
  t.match(await pageOf(node, { __proto__: 'x', other: 'x' } as Record<string, string>), { sessions: [] });
  // There the path matches DELETE /sessions/{id}.
  t.equal((await node.app.inject({ url: '/sessions/revoked' })).statusCode, 405, 'not on the public port');

  await redis.stop();
  const away = await ask(node);
  t.equal(away.statusCode, 503);
  t.equal(away.json().code, 'store_unavailable');
});

t.test('without a configured key the route does not exist', async (t) => {
  const { store } = await redisStore(t);
  const node = await startNode(t, { store, directory: await userDirectory(t), env: { SESSION_API_KEY: '' } });
  t.equal((await ask(node)).statusCode, 404);
});
