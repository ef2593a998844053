// A user's sessions: listed and ended by the user, and by an application on the admin port.

import { eachKind } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import {
  API_KEY,
  endSessions,
  logIn,
  refresh,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from '../support/session-node.js';
import { onSharedServices } from '../support/shared-services.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

const eachService = onSharedServices(async (root, { store }) =>
  startNode(root, { store, directory: await userDirectory(root, ANN, BOB) }),
);

/** Runs a sub-test on a service without sessions. */
function onService(t: Test, run: (t: Test, node: SessionNode) => Promise<void>): Promise<void> {
  return eachService(t, async (t, node) => {
    await endSessions(node, 1, 2);
    await run(t, node);
  });
}

t.test('sessions are listed with their times, the current one marked', async (t) => {
  await onService(t, async (t, node) => {
    const phone = await logIn(node, ANN);
    const laptop = await logIn(node, ANN);
    await logIn(node, BOB);
    const [phoneId, laptopId] = [await sessionIdOf(node, phone), await sessionIdOf(node, laptop)];

    const answer = await withBearer(node, 'GET', '/sessions', phone);
    t.equal(answer.statusCode, 200);
    const { sessions } = answer.json();
    t.strictSame(sessions.map(({ id }: { id: string }) => id).sort(), [phoneId, laptopId].sort());
    for (const session of sessions) {
      t.strictSame(Object.keys(session), [
        ...['id', 'created_at', 'last_used_at', 'expires_at', 'user_agent', 'current'],
      ]);
      t.equal(session.user_agent, 'a browser');
      t.equal(session.current, session.id === phoneId);
      for (const time of [session.created_at, session.last_used_at, session.expires_at]) t.match(time, ISO);
      t.equal(Date.parse(session.expires_at) - Date.parse(session.created_at), 604_800_000);
    }
    const anonymous = await node.app.inject({ url: '/sessions' });
    t.equal(anonymous.statusCode, 401);
    t.equal(anonymous.headers['www-authenticate'], 'Bearer');
    t.strictSame(anonymous.json(), { message: 'Please sign in.', code: 'token_invalid' });
  });
});

t.test('one session is ended at once, with its access and refresh tokens', async (t) => {
  await onService(t, async (t, node) => {
    const phone = await logIn(node, ANN);
    const laptop = await logIn(node, ANN);
    const id = await sessionIdOf(node, laptop);

    const answer = await withBearer(node, 'DELETE', `/sessions/${id}`, phone);
    t.equal(answer.statusCode, 204);
    t.equal(answer.body, '');
    t.equal(answer.headers['set-cookie'], undefined);
    const refused = await withBearer(node, 'GET', '/profile', laptop);
    t.equal(refused.statusCode, 401);
    t.equal(refused.headers['www-authenticate'], 'Bearer');
    const body = { message: 'Your session has been ended. Please sign in again.', code: 'session_revoked' };
    t.strictSame(refused.json(), body);
    const notRefreshed = await refresh(node, laptop);
    t.equal(notRefreshed.statusCode, 401);
    t.strictSame(notRefreshed.json(), body);
    t.equal(notRefreshed.headers['set-cookie'], undefined, 'a failed refresh keeps the cookie');
    t.equal((await withBearer(node, 'GET', '/profile', phone)).statusCode, 200);
    t.equal((await withBearer(node, 'DELETE', `/sessions/${id}`, phone)).statusCode, 404, 'it is gone');
  });
});

t.test("another user's session is not found, and continues", async (t) => {
  await onService(t, async (t, node) => {
    const ann = await logIn(node, ANN);
    const bob = await logIn(node, BOB);
    const foreign = await withBearer(node, 'DELETE', `/sessions/${await sessionIdOf(node, bob)}`, ann);
    t.equal(foreign.statusCode, 404);
    t.strictSame(foreign.json(), { message: 'Not found.', code: 'not_found' });
    t.equal((await withBearer(node, 'GET', '/profile', bob)).statusCode, 200);
    t.equal((await refresh(node, bob)).statusCode, 200);

    for (const id of [
      '0123456789ABCDEFGHIJKL',
      'short',
      `${'x'.repeat(22)}y`,
      '__proto__',
      '%00',
      'x'.repeat(500),
    ]) {
      const unknown = await withBearer(node, 'DELETE', `/sessions/${id}`, ann);
      t.equal(unknown.statusCode, 404, id.slice(0, 30));
      t.strictSame(unknown.json(), foreign.json());
    }
  });
});

t.test('all others are ended; the current one and those of other users continue', async (t) => {
  await onService(t, async (t, node) => {
    const others = [await logIn(node, ANN), await logIn(node, ANN)];
    const current = await logIn(node, ANN);
    const bob = await logIn(node, BOB);
    for (let times = 0; times < 2; times++) {
      t.equal((await withBearer(node, 'DELETE', '/sessions', current)).statusCode, 204);
      for (const other of others) {
        t.equal((await withBearer(node, 'GET', '/profile', other)).json().code, 'session_revoked');
        t.equal((await refresh(node, other)).json().code, 'session_revoked');
      }
      for (const held of [current, bob]) {
        t.equal((await withBearer(node, 'GET', '/profile', held)).statusCode, 200);
      }
    }
    t.equal((await withBearer(node, 'GET', '/sessions', current)).json().sessions.length, 1);
  });
});

// On the admin port.

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
