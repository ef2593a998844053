// Several tabs of one browser: locks and messages between them.

import t from 'tap';
import type { Session } from '../../src/session/session-options.js';
import type { SessionStatus } from '../../src/session/session-state.js';
import { openTestSession } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  lost,
  type ScriptedResponse,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { createBrowserStorage, openTabs } from '../support/session-tabs.js';

async function becomes(session: Session, status: SessionStatus): Promise<void> {
  while (session.state.status !== status) {
    await new Promise<void>((resolve) => {
      const stop = session.subscribe(() => {
        stop();
        resolve();
      });
    });
  }
}

const slow = (answer: ScriptedResponse): ScriptedResponse => ({
  ...answer,
  after: new Promise((resolve) => setImmediate(resolve)),
});

t.test('five tabs refresh one after the other, each with its own token', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const all = Array.from({ length: 5 }, () => openTestSession(t, script.address, tabs));
  script.setResponses(refreshing, ...all.map(() => slow(grant())));
  t.same(
    await Promise.all(all.map(({ session }) => session.resume())),
    all.map(() => true),
  );
  t.equal(script.count(refreshing), 5);
  t.equal(script.maxConcurrentRefreshes, 1);
  t.same(tabs.messages, [], 'without messages');
});

t.test('a hanging tab blocks the others only until the timeout', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.setResponses(refreshing, { ...grant(), after: never }, grant());
  const hanging = openTestSession(t, script.address, { ...tabs, leavesRequestsOpen: true });
  const waiting = openTestSession(t, script.address, { ...tabs, leavesRequestsOpen: true, lockSeconds: 3 });
  hanging.session.resume().catch(() => {});
  await script.received(refreshing, 1);
  const resumed = waiting.session.resume();
  await waiting.advance(2.9);
  t.equal(script.count(refreshing), 1);
  await waiting.advance(0.1);
  t.equal(await resumed, true);
  t.equal(script.count(refreshing), 2);
});

t.test('failing locks are skipped', async (t) => {
  const script = await startScriptedService(t);
  const locks = { request: () => Promise.reject(new DOMException('no', 'SecurityError')) };
  const { session } = openTestSession(t, script.address, { locks: locks as unknown as LockManager });
  script.setResponses(refreshing, grant());
  t.equal(await session.resume(), true);
  t.equal(script.count(refreshing), 1);
});

t.test('a logout reaches the other tabs, without a token in the message', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('POST /logout', { status: 204 });
  script.setResponses('GET /thing', { status: 200 });
  await one.session.login(loginFields);
  await becomes(two.session, 'signed-in');
  t.equal(script.count(refreshing), 1, 'the other tab got its own token');
  await one.session.logout();
  await becomes(two.session, 'signed-out');
  t.equal(two.session.state.reason, 'logged_out');
  t.same(two.expired, []);
  await two.session.fetch('thing');
  t.equal(script.requests.at(-1)?.authorization, undefined);
  t.same(tabs.messages, ['signed-in', 'signed-out']);
});

t.test('a logout without network drops the token in all tabs, and one of them completes it', async (t) => {
  const script = await startScriptedService(t);
  const tabs = { ...openTabs(), openStorage: createBrowserStorage() };
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('GET /thing', { status: 200 });
  await one.session.login(loginFields);
  await becomes(two.session, 'signed-in');
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost, { status: 204 });
  await t.rejects(one.session.logout(), { name: 'SessionError', reason: 'network' });
  await becomes(two.session, 'signed-out');
  for (const { session, expired, losses } of [one, two]) {
    t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'logout_pending' });
    t.same([expired, losses], [[], []]);
    await session.fetch('thing');
    t.equal(script.requests.filter(({ route }) => route === 'GET /thing').at(-1)?.authorization, undefined);
  }
  // The first tab closes, and the second one retries until there is a response.
  one.session.close();
  await two.advance(10);
  await becomes(two.session, 'signed-out');
  t.equal(two.session.state.reason, 'logged_out');
  t.equal(script.count(refreshing), 1, 'nothing was refreshed');
  await two.advance(3600);
  t.equal(script.count('DELETE /refresh'), 2, 'and the logout is complete');
});

t.test('a login in one tab cancels the pending logout of the others', async (t) => {
  const script = await startScriptedService(t);
  const tabs = { ...openTabs(), openStorage: createBrowserStorage() };
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(one.session.logout());
  await becomes(two.session, 'signed-out');
  await two.session.login(loginFields);
  await becomes(one.session, 'signed-in');
  const ends = script.count('DELETE /refresh');
  await one.advance(600);
  await two.advance(600);
  t.equal(script.count('DELETE /refresh'), ends, 'the new session is not ended');
  t.equal(one.session.state.status, 'signed-in');
});

t.test('a login in another tab that did not wait for a logout survives it', async (t) => {
  const script = await startScriptedService(t);
  const tabs = { ...openTabs(), openStorage: createBrowserStorage(), leavesRequestsOpen: true };
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('DELETE /refresh', { status: 204, after: never });
  const logout = one.session.logout();
  logout.catch(() => {});
  await script.received('DELETE /refresh', 1);
  const login = two.session.login(loginFields);
  await two.advance(10);
  t.equal((await login).status, 200);
  await becomes(two.session, 'signed-in');
  await one.advance(20);
  await t.rejects(logout, { name: 'SessionError', reason: 'network' });
  await becomes(one.session, 'signed-in');
  t.same(tabs.messages, ['signed-in'], 'the others are not logged out');
  t.equal(two.session.state.status, 'signed-in');
  await two.advance(600);
  t.equal(script.count('DELETE /refresh'), 1, 'the new session is not ended');
});

t.test('without storage, a login in one tab still cancels the logout of the others', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(one.session.logout());
  t.equal(one.session.state.reason, 'logout_pending');
  const ends = script.count('DELETE /refresh');
  await two.session.login(loginFields);
  await becomes(one.session, 'signed-in');
  await one.advance(600);
  t.equal(script.count('DELETE /refresh'), ends, 'the new session is not ended');
});

t.test('storage that lags behind the login message ends no session', async (t) => {
  const script = await startScriptedService(t);
  const shared = openTabs();
  // Each tab is a separate process, and sees the others' storage late.
  const [one, two] = [createBrowserStorage(), createBrowserStorage()].map((openStorage) =>
    openTestSession(t, script.address, { ...shared, openStorage }),
  ) as [ReturnType<typeof openTestSession>, ReturnType<typeof openTestSession>];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(one.session.logout());
  const ends = script.count('DELETE /refresh');
  script.setResponses('DELETE /refresh', { status: 204 });
  await two.session.login(loginFields);
  await becomes(one.session, 'signed-in');
  t.equal(script.count('DELETE /refresh'), ends, 'the new session is not ended');
});

t.test('a login in one tab makes the others refresh', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const [one, two] = [openTestSession(t, script.address, tabs), openTestSession(t, script.address, tabs)];
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant());
  await one.session.login(loginFields);
  await becomes(two.session, 'signed-in');
  const seen: string[] = [];
  one.session.subscribe(() => seen.push(one.session.state.status));
  await two.session.login({ ...loginFields, email: 'b@example.com' });
  await becomes(one.session, 'unknown');
  await becomes(one.session, 'signed-in');
  t.same(seen, ['unknown', 'signed-in'], 'the previous state may belong to another user');
  t.same(one.expired, []);
});

t.test('unknown messages are ignored', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const { session } = openTestSession(t, script.address, tabs);
  script.setResponses('POST /login', grant());
  await session.login(loginFields);
  const { state } = session;
  const channel = new BroadcastChannel(`tollgate:${script.address}/`);
  t.teardown(() => channel.close());
  for (const word of ['', 'expired', 7, null, { status: 'signed-out' }, 'signed-out']) {
    t.equal(session.state, state);
    channel.postMessage(word);
  }
  await becomes(session, 'signed-out');
  t.equal(script.requests.length, 1);
});

t.test('sessions of different services do not share messages', async (t) => {
  const tabs = openTabs();
  const [script, other] = [await startScriptedService(t), await startScriptedService(t)];
  const own = openTestSession(t, script.address, tabs);
  const sameOrigin = openTestSession(t, `${script.address}/b`, tabs);
  const elsewhere = openTestSession(t, other.address, tabs);
  const neighbour = openTestSession(t, script.address, tabs);
  for (const path of ['login', 'b/login']) script.setResponses(`POST /${path}`, grant());
  other.setResponses('POST /login', grant());
  script.setResponses('POST /logout', { status: 204 });
  for (const one of [sameOrigin, elsewhere, own]) await one.session.login(loginFields);
  await own.session.logout();
  await becomes(neighbour.session, 'signed-out');
  t.equal(sameOrigin.session.state.status, 'signed-in');
  t.equal(elsewhere.session.state.status, 'signed-in');
});

t.test('a page in the back/forward cache closes its channel, and refreshes on return', async (t) => {
  const script = await startScriptedService(t);
  const tabs = openTabs();
  const { session, dispatch, expired } = openTestSession(t, script.address, tabs);
  script.setResponses('POST /login', grant());
  script.setResponses(refreshing, grant(), errorResponse(401, 'token_invalid'), grant());
  await session.login(loginFields);
  t.equal(tabs.openChannels, 1);
  for (const { status, reasons } of [
    { status: 'signed-in', reasons: [] },
    { status: 'signed-out', reasons: ['token_invalid'] },
    { status: 'signed-in', reasons: ['token_invalid'] },
  ]) {
    await dispatch('pagehide', { persisted: true });
    t.equal(tabs.openChannels, 0);
    const before = script.count(refreshing);
    await dispatch('pageshow', { persisted: true });
    t.equal(tabs.openChannels, 1);
    t.equal(script.count(refreshing), before + 1);
    t.equal(session.state.status, status);
    t.same(expired, reasons);
  }
});

t.test('a restored page has no token until its refresh succeeds', async (t) => {
  const { script, session, dispatch, advance, expired } = await signIn(t);
  script.setResponses('GET /thing', errorResponse(401, 'token_invalid'));
  script.setResponses(refreshing, errorResponse(503, 'store_unavailable'));
  const seen: string[] = [];
  session.subscribe(() => seen.push(session.state.status));
  await dispatch('pageshow', { persisted: true });
  t.same(session.state, { status: 'unknown', expiresAtMs: null, reason: 'store_unavailable' });
  await session.fetch('thing');
  const { authorization } = script.requests.find(({ route }) => route === 'GET /thing') ?? {};
  t.equal(authorization, undefined);
  t.same(expired, [], 'nothing is known yet');
  script.setResponses(refreshing, errorResponse(401, 'session_revoked'));
  await advance(1);
  t.same(seen, ['unknown', 'unknown', 'signed-out']);
  t.same(expired, ['session_revoked']);
});

t.test('a restored logged-out page reports no other state during its refresh', async (t) => {
  const { script, session, dispatch, expired } = await signIn(t);
  script.setResponses('POST /logout', { status: 204 });
  await session.logout();
  script.setResponses(refreshing, errorResponse(401, 'token_invalid'));
  const seen: string[] = [];
  session.subscribe(() => seen.push(session.state.status));
  await dispatch('pageshow', { persisted: true });
  t.same(seen, [], 'the form on it stays as it is');
  t.same(expired, []);
});

t.test('a request from before the page was left is not repeated with another user’s token', async (t) => {
  const { script, session, dispatch } = await signIn(t, 900, { leavesRequestsOpen: true });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script.setResponses('POST /order', { ...errorResponse(401, 'session_revoked'), after }, { status: 200 });
  const order = session.fetch('order', { method: 'POST', body: '1 ticket' });
  await script.received('POST /order', 1);
  await dispatch('pagehide', { persisted: true });
  await dispatch('pageshow', { persisted: true });
  await becomes(session, 'signed-in');
  answer();
  t.equal((await order).status, 401);
  t.equal(script.count('POST /order'), 1);
});

t.test('nor is the response to an earlier refresh used', async (t) => {
  const script = await startScriptedService(t);
  const { session, dispatch } = openTestSession(t, script.address, {
    ...openTabs(),
    leavesRequestsOpen: true,
  });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const granted = grant();
  script.setResponses(refreshing, { ...grant(), after }, granted);
  script.setResponses('GET /thing', { status: 200 });
  const resumed = session.resume();
  await script.received(refreshing, 1);
  await dispatch('pagehide', { persisted: true });
  await dispatch('pageshow', { persisted: true });
  answer();
  t.equal(await resumed, true);
  await session.fetch('thing');
  t.equal(script.requests.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
});

t.test('a logout response after the page was left takes effect', async (t) => {
  const script = await startScriptedService(t);
  const { session, dispatch } = openTestSession(t, script.address, {
    ...openTabs(),
    leavesRequestsOpen: true,
  });
  script.setResponses('POST /login', grant());
  await session.login(loginFields);
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script.setResponses('POST /logout', { status: 204, after });
  const logout = session.logout();
  await script.received('POST /logout', 1);
  await dispatch('pagehide', { persisted: true });
  answer();
  await logout;
  t.equal(session.state.status, 'signed-out');
});
