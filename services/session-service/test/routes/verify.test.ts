// Forward authentication: responses to a gateway for each bearer.

import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { logIn, sessionIdOf, startNode, userDirectory, withBearer } from '../support/session-node.js';

t.test("a valid bearer's user is returned in headers, for GET and HEAD", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, 'ann@example.com', 'zoë+50%@exämple.com');
    const node = await startNode(t, { store, directory });
    const ann = await logIn(node, 'ann@example.com');
    const zoe = await logIn(node, 'zoë+50%@exämple.com');
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await withBearer(node, method, '/verify', ann);
      t.equal(answer.statusCode, 204);
      t.equal(answer.body, '');
      t.equal(answer.headers['x-auth-user-id'], '1');
      t.equal(answer.headers['x-auth-user-email'], 'ann@example.com');
      t.match(answer.headers['x-auth-session-id'], /^[A-Za-z0-9]{22}$/);
      t.equal(answer.headers['x-auth-amr'], 'pwd');
      t.ok(Math.abs(Number(answer.headers['x-auth-time']) - Date.now() / 1000) < 5);
      t.equal(answer.headers['cache-control'], 'no-store');
    }
    const encoded = (await withBearer(node, 'GET', '/verify', zoe)).headers['x-auth-user-email'];
    t.equal(encoded, 'zo%C3%AB+50%25@ex%C3%A4mple.com');
    t.equal(decodeURIComponent(String(encoded)), 'zoë+50%@exämple.com');
    t.not(await sessionIdOf(node, ann), await sessionIdOf(node, zoe));
  });
});

t.test('any other bearer is 401, with the same body for every reason', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory });
  const { accessToken, cookie } = await logIn(node, 'ann@example.com');
  const refreshToken = cookie.slice(cookie.indexOf('=') + 1);
  const headers = [undefined, '', 'Bearer', 'Bearer ', `Basic ${accessToken}`, `Bearer ${accessToken}x`];
  for (const authorization of [...headers, `Bearer ${refreshToken}`, accessToken]) {
    const answer = await node.app.inject({
      url: '/verify',
      headers: authorization === undefined ? {} : { authorization },
    });
    t.equal(answer.statusCode, 401);
    t.equal(answer.headers['www-authenticate'], 'Bearer');
    t.equal(answer.headers['x-auth-user-id'], undefined);
    t.strictSame(answer.json(), { message: 'Please sign in.', code: 'token_invalid' });
  }
});

t.test('it has no rate limit', async (t) => {
  const { store } = await redisStore(t);
  const directory = await userDirectory(t, 'ann@example.com');
  const node = await startNode(t, { store, directory, env: { RATE_LIMIT_SESSION: '1' } });
  const held = await logIn(node, 'ann@example.com');
  for (let times = 0; times < 50; times++) {
    const answer = await withBearer(node, 'GET', '/verify', held);
    if (answer.statusCode !== 204) t.equal(answer.statusCode, 204);
    if (times === 49) t.equal(answer.headers['ratelimit-limit'], undefined);
  }
});
