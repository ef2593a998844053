// Rejected bearers have their own limit, which valid ones do not share.

import { openRevocationLog } from '@tollgate/shared/sessions';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openSessionStore } from '../../src/stores/open-session-store.js';
import {
  logIn,
  type SessionNode,
  sessionIdOf,
  startNode,
  until,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const LIMIT = 5;
const env = { RATE_LIMIT_SESSION: String(LIMIT) };
const ROUTES = [
  ['POST', '/logout'],
  ['GET', '/profile'],
  ['GET', '/sessions'],
  ['DELETE', '/sessions'],
  ['DELETE', '/sessions/aaaaaaaaaaaaaaaaaaaaaa'],
] as const;

function stranger({ app }: SessionNode, method: 'GET' | 'POST' | 'DELETE', url: string, bearer?: string) {
  return app.inject({
    method,
    url,
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  });
}

t.test('logouts without a bearer token do not lock out other clients behind the address', async (t) => {
  const node = await startNode(t, {
    store: embeddedStore(t).store,
    directory: await userDirectory(t, ANN),
    env,
  });
  const held = await logIn(node, ANN);
  for (let i = 0; i < 3 * LIMIT; i++) await stranger(node, 'POST', '/logout');
  const profile = await withBearer(node, 'GET', '/profile', held);
  t.equal(profile.statusCode, 200);
  t.match(profile.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': '4' });
  t.equal((await withBearer(node, 'POST', '/logout', held)).statusCode, 204);
});

t.test('rejected bearers share one limit on all routes, which never affects valid ones', async (t) => {
  for (const [method, url] of ROUTES) {
    const node = await startNode(t, {
      store: embeddedStore(t).store,
      directory: await userDirectory(t, ANN),
      env,
    });
    const held = await logIn(node, ANN);
    for (let i = 0; i < LIMIT; i++) {
      const [eachMethod, eachUrl] = ROUTES[i] ?? ROUTES[0];
      const refused = await stranger(node, eachMethod, eachUrl, i % 2 === 0 ? 'forged' : undefined);
      t.equal(refused.statusCode, 401, eachUrl);
      t.equal(refused.headers['www-authenticate'], 'Bearer');
      t.match(refused.headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': String(LIMIT - 1 - i) });
    }
    const limited = await stranger(node, method, url, 'forged');
    t.equal(limited.statusCode, 429, `${method} ${url}`);
    t.equal(limited.json().code, 'rate_limited');
    t.match(limited.headers, {
      'retry-after': /^\d+$/,
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': /^\d+$/,
    });
    t.notOk('www-authenticate' in limited.headers);
    t.equal((await stranger(node, 'GET', '/verify', 'forged')).statusCode, 401, 'which is not limited');
    t.not((await withBearer(node, method, url, held)).statusCode, 429, 'a valid one is served');
  }
});

t.test('valid bearers have their own limit and do not count towards that of rejected ones', async (t) => {
  const node = await startNode(t, {
    store: embeddedStore(t).store,
    directory: await userDirectory(t, ANN),
    env,
  });
  const held = await logIn(node, ANN);
  for (let i = 0; i < LIMIT; i++) t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
  t.equal((await withBearer(node, 'GET', '/sessions', held)).statusCode, 429);
  t.equal((await stranger(node, 'GET', '/profile', 'forged')).statusCode, 401);
});

t.test(
  'an interrupted logout is completed within the limit, and beyond it the store is not queried',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const node = await startNode(t, { store, directory: await userDirectory(t, ANN), env });
      const sessions = openSessionStore(store);
      const halfEnded = async () => {
        const held = await logIn(node, ANN);
        const sid = await sessionIdOf(node, held);
        await openRevocationLog(store).append({ sids: [sid], keepMs: 60_000 });
        await until(async () => node.revocations.isRevoked(sid));
        return held;
      };
      const first = await withBearer(node, 'POST', '/logout', await halfEnded());
      t.match([first.statusCode, first.json().code], [401, 'session_revoked']);
      t.strictSame(await sessions.list(1), []);

      for (let i = 1; i < LIMIT; i++) await stranger(node, 'POST', '/logout');
      const beyond = await withBearer(node, 'POST', '/logout', await halfEnded());
      t.equal(beyond.statusCode, 429);
      t.equal((await sessions.list(1)).length, 1);
    });
  },
);
