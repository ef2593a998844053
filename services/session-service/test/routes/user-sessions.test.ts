// A user's sessions on the admin port: listed, and ended one by one.

import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  API_KEY,
  logIn,
  refresh,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

t.test("an application lists a user's sessions and ends one of them", async (t) => {
  await eachKind(t, async (t, { store, clock, age }) => {
    const lines: string[] = [];
    const directory = await userDirectory(t, ANN, BOB);
    const node = await startNode(t, { store, directory, clock, onLine: (line) => lines.push(line) });
    const ask = (method: 'GET' | 'DELETE', url: string) =>
      node.admin.inject({ method, url, headers: { authorization: `Bearer ${API_KEY}` } });
    const first = await logIn(node, ANN);
    await age(5000);
    const second = await logIn(node, ANN);
    const bob = await logIn(node, BOB);
    const [firstSid, secondSid] = [await sessionIdOf(node, first), await sessionIdOf(node, second)];

    const listed = await ask('GET', '/users/1/sessions');
    t.equal(listed.statusCode, 200);
    const own = (await withBearer(node, 'GET', '/sessions', second)).json().sessions;
    t.strictSame(
      listed.json().sessions,
      own.map((entry: object) => ({ ...entry, current: false })),
      'as the user sees them, but none is current',
    );
    t.strictSame(
      own.map(({ id }: { id: string }) => id),
      [secondSid, firstSid],
    );

    const ended = await ask('DELETE', `/users/1/sessions/${firstSid}`);
    t.equal(ended.statusCode, 204);
    t.equal(ended.body, '');
    t.equal((await withBearer(node, 'GET', '/profile', first)).json().code, 'session_revoked');
    t.equal((await refresh(node, first)).json().code, 'session_revoked');
    t.equal((await withBearer(node, 'GET', '/profile', second)).statusCode, 200);
    const events = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'revoke');
    t.match(events, [{ uid: 1, sid: firstSid, reason: 'admin' }]);

    const bobSid = await sessionIdOf(node, bob);
    for (const path of [
      `1/sessions/${firstSid}`,
      `1/sessions/${bobSid}`,
      ...['1/sessions/x', `0/sessions/${secondSid}`, `9007199254740993/sessions/${secondSid}`],
    ]) {
      const refused = await ask('DELETE', `/users/${path}`);
      t.equal(refused.statusCode, 404, path);
      t.equal(refused.json().code, 'not_found');
    }
    t.equal((await withBearer(node, 'GET', '/profile', bob)).statusCode, 200, 'of another user');
    t.strictSame((await ask('GET', '/users/99/sessions')).json(), { sessions: [] });
    for (const id of ['0', '-', '9007199254740993'])
      t.equal((await ask('GET', `/users/${id}/sessions`)).statusCode, 404, id);
  });
});
