// Several tabs of one browser: how they wait for each other, and the messages between them.

import t from 'tap';
import type { Session } from '../../src/session/session-options.js';
import type { SessionStatus } from '../../src/session/session-state.js';
import { steerSession } from '../support/session-clock.js';
import { grant, refuse, type ScriptedAnswer, startScript } from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { openTabs } from '../support/session-tabs.js';

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

const slow = (answer: ScriptedAnswer): ScriptedAnswer => ({
  ...answer,
  after: new Promise((resolve) => setImmediate(resolve)),
});

t.test('five tabs refresh one after the other, each for itself', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const all = Array.from({ length: 5 }, () => steerSession(t, script.address, tabs));
  script.plan(refreshing, ...all.map(() => slow(grant())));
  t.same(
    await Promise.all(all.map(({ session }) => session.resume())),
    all.map(() => true),
  );
  t.equal(script.count(refreshing), 5);
  t.equal(script.mostRefreshes, 1);
  t.same(tabs.said, [], 'no word is lost about it');
});

t.test('a tab that hangs blocks the others only until the limit', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.plan(refreshing, { ...grant(), after: never }, grant());
  const hanging = steerSession(t, script.address, { ...tabs, isOpenEnded: true });
  const waiting = steerSession(t, script.address, { ...tabs, isOpenEnded: true, lockSeconds: 3 });
  hanging.session.resume().catch(() => {});
  await script.isAsked(refreshing, 1);
  const resumed = waiting.session.resume();
  await waiting.pass(2.9);
  t.equal(script.count(refreshing), 1);
  await waiting.pass(0.1);
  t.equal(await resumed, true);
  t.equal(script.count(refreshing), 2);
});

t.test('locks that fail are skipped', async (t) => {
  const script = await startScript(t);
  const locks = { request: () => Promise.reject(new DOMException('no', 'SecurityError')) };
  const { session } = steerSession(t, script.address, { locks: locks as unknown as LockManager });
  script.plan(refreshing, grant());
  t.equal(await session.resume(), true);
  t.equal(script.count(refreshing), 1);
});

t.test('a log-out reaches the other tabs, without a token in the message', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const [one, two] = [steerSession(t, script.address, tabs), steerSession(t, script.address, tabs)];
  script.plan('POST /login', grant());
  script.plan(refreshing, grant());
  script.plan('POST /logout', { status: 204 });
  script.plan('GET /thing', { status: 200 });
  await one.session.login(loginFields);
  await becomes(two.session, 'signed-in');
  t.equal(script.count(refreshing), 1, 'the other tab got its own token');
  await one.session.logout();
  await becomes(two.session, 'signed-out');
  t.equal(two.session.state.reason, 'logged_out');
  t.same(two.expired, []);
  await two.session.fetch('thing');
  t.equal(script.asked.at(-1)?.authorization, undefined);
  t.same(tabs.said, ['signed-in', 'signed-out']);
});

t.test('a log-out that failed is not told', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const { session } = steerSession(t, script.address, tabs);
  script.plan('DELETE /refresh', refuse(503, 'store_unavailable'));
  await t.rejects(session.logout());
  t.same(tabs.said, []);
});

t.test('a log-in in one tab has the others ask who is signed in now', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const [one, two] = [steerSession(t, script.address, tabs), steerSession(t, script.address, tabs)];
  script.plan('POST /login', grant());
  script.plan(refreshing, grant());
  await one.session.login(loginFields);
  await becomes(two.session, 'signed-in');
  const seen: string[] = [];
  one.session.subscribe(() => seen.push(one.session.state.status));
  await two.session.login({ ...loginFields, email: 'b@example.com' });
  await becomes(one.session, 'unknown');
  await becomes(one.session, 'signed-in');
  t.same(seen, ['unknown', 'signed-in'], 'what was shown before may be another person’s');
  t.same(one.expired, []);
});

t.test('unknown messages are ignored', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const { session } = steerSession(t, script.address, tabs);
  script.plan('POST /login', grant());
  await session.login(loginFields);
  const { state } = session;
  const channel = new BroadcastChannel(`tollgate:${script.address}/`);
  t.teardown(() => channel.close());
  for (const word of ['', 'expired', 7, null, { status: 'signed-out' }, 'signed-out']) {
    t.equal(session.state, state);
    channel.postMessage(word);
  }
  await becomes(session, 'signed-out');
  t.equal(script.asked.length, 1);
});

t.test('sessions of different services do not share messages', async (t) => {
  const tabs = openTabs();
  const [script, other] = [await startScript(t), await startScript(t)];
  const own = steerSession(t, script.address, tabs);
  const sameOrigin = steerSession(t, `${script.address}/b`, tabs);
  const elsewhere = steerSession(t, other.address, tabs);
  const neighbour = steerSession(t, script.address, tabs);
  for (const path of ['login', 'b/login']) script.plan(`POST /${path}`, grant());
  other.plan('POST /login', grant());
  script.plan('POST /logout', { status: 204 });
  for (const one of [sameOrigin, elsewhere, own]) await one.session.login(loginFields);
  await own.session.logout();
  await becomes(neighbour.session, 'signed-out');
  t.equal(sameOrigin.session.state.status, 'signed-in');
  t.equal(elsewhere.session.state.status, 'signed-in');
});

t.test('a page in the back/forward cache holds no channel, and asks when it comes back', async (t) => {
  const script = await startScript(t);
  const tabs = openTabs();
  const { session, happen, expired } = steerSession(t, script.address, tabs);
  script.plan('POST /login', grant());
  script.plan(refreshing, grant(), refuse(401, 'token_invalid'), grant());
  await session.login(loginFields);
  t.equal(tabs.openChannels, 1);
  for (const { status, reasons } of [
    { status: 'signed-in', reasons: [] },
    { status: 'signed-out', reasons: ['token_invalid'] },
    { status: 'signed-in', reasons: ['token_invalid'] },
  ]) {
    await happen('pagehide', { persisted: true });
    t.equal(tabs.openChannels, 0);
    const before = script.count(refreshing);
    await happen('pageshow', { persisted: true });
    t.equal(tabs.openChannels, 1);
    t.equal(script.count(refreshing), before + 1);
    t.equal(session.state.status, status);
    t.same(expired, reasons);
  }
});

t.test('a page that comes back has no token until it is known who is signed in', async (t) => {
  const { script, session, happen, expired } = await signIn(t);
  script.plan('GET /thing', refuse(401, 'token_invalid'));
  script.plan(refreshing, refuse(503, 'store_unavailable'));
  const seen: string[] = [];
  session.subscribe(() => seen.push(session.state.status));
  await happen('pageshow', { persisted: true });
  t.same(session.state, { status: 'unknown', expiresAtMs: null, reason: null });
  await session.fetch('thing');
  const { authorization } = script.asked.find(({ what }) => what === 'GET /thing') ?? {};
  t.equal(authorization, undefined);
  t.same(expired, [], 'nothing is known yet');
  script.plan(refreshing, refuse(401, 'session_revoked'));
  await happen('focus');
  t.same(seen, ['unknown', 'signed-out']);
  t.same(expired, ['session_revoked']);
});

t.test('a page that comes back signed out says nothing else meanwhile', async (t) => {
  const { script, session, happen, expired } = await signIn(t);
  script.plan('POST /logout', { status: 204 });
  await session.logout();
  script.plan(refreshing, refuse(401, 'token_invalid'));
  const seen: string[] = [];
  session.subscribe(() => seen.push(session.state.status));
  await happen('pageshow', { persisted: true });
  t.same(seen, [], 'the form on it stays as it is');
  t.same(expired, []);
});

t.test('a request of before the page was left is not repeated in another name', async (t) => {
  const { script, session, happen } = await signIn(t, 900, { isOpenEnded: true });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script.plan('POST /order', { ...refuse(401, 'session_revoked'), after }, { status: 200 });
  const order = session.fetch('order', { method: 'POST', body: '1 ticket' });
  await script.isAsked('POST /order', 1);
  await happen('pagehide', { persisted: true });
  await happen('pageshow', { persisted: true });
  await becomes(session, 'signed-in');
  answer();
  t.equal((await order).status, 401);
  t.equal(script.count('POST /order'), 1);
});

t.test('nor is the answer to a refresh of before then believed', async (t) => {
  const script = await startScript(t);
  const { session, happen } = steerSession(t, script.address, { ...openTabs(), isOpenEnded: true });
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const granted = grant();
  script.plan(refreshing, { ...grant(), after }, granted);
  script.plan('GET /thing', { status: 200 });
  const resumed = session.resume();
  await script.isAsked(refreshing, 1);
  await happen('pagehide', { persisted: true });
  await happen('pageshow', { persisted: true });
  answer();
  t.equal(await resumed, true);
  await session.fetch('thing');
  t.equal(script.asked.at(-1)?.authorization, `Bearer ${tokenOf(granted)}`);
});

t.test('a log-out that is answered after the page was left takes effect', async (t) => {
  const script = await startScript(t);
  const { session, happen } = steerSession(t, script.address, { ...openTabs(), isOpenEnded: true });
  script.plan('POST /login', grant());
  await session.login(loginFields);
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  script.plan('POST /logout', { status: 204, after });
  const logout = session.logout();
  await script.isAsked('POST /logout', 1);
  await happen('pagehide', { persisted: true });
  answer();
  await logout;
  t.equal(session.state.status, 'signed-out');
});
