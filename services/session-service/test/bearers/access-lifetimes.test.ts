// The maximum lifetime of an access token, also while ACCESS_TTL changes.

import { openKeyRecord } from '@tollgate/shared/store';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  API_KEY,
  logIn,
  type SessionNode,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';

t.test('a token with a lifetime of ten days, or issued tomorrow, is rejected everywhere', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await startNode(t, { store, directory: await userDirectory(t, ANN) });
    const held = await logIn(node, ANN);
    const reading = node.app.tokens.access.read(held.accessToken);
    if (!reading.ok) throw new Error('the token of a login is right');
    const { claims } = reading;
    const forged = (changes: object) => node.app.tokens.access.issue({ ...claims, ...changes });
    t.equal(await status(node, forged({})), 200);
    for (const changes of [
      { exp: claims.iat + 901 },
      { exp: claims.iat + 864_000 },
      { iat: claims.iat + 86_400, exp: claims.iat + 86_700 },
    ]) {
      const accessToken = forged(changes);
      t.equal(await status(node, accessToken), 401, JSON.stringify(changes));
      t.equal(await status(node, accessToken, '/verify'), 401);
      const introspected = await node.admin.inject({
        method: 'POST',
        url: '/introspect',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ token: accessToken }).toString(),
      });
      t.strictSame(introspected.json(), { active: false });
    }
  });
});

t.test('while ACCESS_TTL changes, nodes accept each other’s tokens', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, ANN);
    const nodes: SessionNode[] = [];
    for (const seconds of [300, 900]) {
      // As server.ts reports at its start.
      const lifetimes = { access: seconds };
      await openKeyRecord(store).report(String(seconds), { makes: true, ids: {}, lifetimes }, true);
      nodes.push(await startNode(t, { store, directory, env: { ACCESS_TTL: String(seconds) } }));
    }
    for (const from of nodes) {
      const { accessToken } = await logIn(from, ANN);
      for (const to of nodes) t.equal(await status(to, accessToken), 200);
    }
  });
});

async function status(node: SessionNode, accessToken: string, url = '/profile'): Promise<number> {
  const answer = await withBearer(node, 'GET', url, { accessToken, cookie: '' });
  return url === '/verify' && answer.statusCode === 204 ? 200 : answer.statusCode;
}
