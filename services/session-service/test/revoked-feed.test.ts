// GET /sessions/revoked: ended sessions for services that verify tokens themselves.

import { openRevocationLog } from '@tollgate/shared/sessions';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  API_KEY,
  logIn,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

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
