// When a session refreshes: at its start only if a user may be logged in, then on time, also after sleep or a changed clock.
import t from 'tap';
import { openTestSession, type TestSessionOptions } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  lost,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing, signIn, tokenOf } from '../support/session-sign-in.js';
import { createStorage, openTabs } from '../support/session-tabs.js';

async function openBrowser(t: Parameters<typeof startScriptedService>[0]) {
  const script = await startScriptedService(t);
  script.setResponses('POST /login', () => grant());
  script.setResponses('POST /logout', { status: 204 });
  script.setResponses('DELETE /refresh', { status: 204 });
  script.setResponses(refreshing, errorResponse(401, 'token_invalid'));
  const storage = createStorage();
  const openPage = (options: TestSessionOptions = {}) =>
    openTestSession(t, script.address, { openStorage: () => storage, ...options });
  return { script, storage, openPage };
}

const hasAsked = (script: ScriptedService) => script.count(refreshing) > 0;

t.test('without jitter, a token is refreshed exactly a minute before its expiry', async (t) => {
  const script = await startScriptedService(t);
  const { session, advance } = openTestSession(t, script.address, { chance: 0.99 });
  script.setResponses('POST /login', grant(900));
  script.setResponses(refreshing, grant(900));
  await session.login(loginFields);
  await advance(839.999);
  t.equal(script.count(refreshing), 0);
  await advance(0.001);
  t.equal(script.count(refreshing), 1);
});

for (const { expiresIn, jitterSeconds, chance, dueSeconds } of [
  { expiresIn: 900, jitterSeconds: 0, chance: 0.99, dueSeconds: 840 },
  { expiresIn: 900, jitterSeconds: 10, chance: 0, dueSeconds: 840 },
  { expiresIn: 900, jitterSeconds: 10, chance: 0.5, dueSeconds: 835 },
  { expiresIn: 121, jitterSeconds: 0, chance: 0, dueSeconds: 61 },
  { expiresIn: 120, jitterSeconds: 10, chance: 0.5, dueSeconds: 60 },
  { expiresIn: 2, jitterSeconds: 10, chance: 0.5, dueSeconds: 1 },
  { expiresIn: 2_592_000, jitterSeconds: 0, chance: 0, dueSeconds: 2_591_940 },
]) {
  t.test(
    `a token of ${expiresIn} s is refreshed after ${dueSeconds} s (jitter ${jitterSeconds})`,
    async (t) => {
      const { script, advance, session } = await signIn(t, expiresIn, { jitterSeconds, chance });
      await advance(dueSeconds - 0.001);
      t.equal(script.count(refreshing), 0);
      await advance(0.001);
      t.equal(script.count(refreshing), 1);
      t.equal(session.state.status, 'signed-in');
    },
  );
}

t.test('the next refresh is scheduled from the new expiresIn', async (t) => {
  const { script, advance } = await signIn(t, 900);
  script.setResponses(refreshing, grant(300), grant(100), grant(900));
  await advance(840);
  t.equal(script.count(refreshing), 1);
  await advance(239.999);
  t.equal(script.count(refreshing), 1);
  await advance(0.001);
  t.equal(script.count(refreshing), 2);
  await advance(50);
  t.equal(script.count(refreshing), 3);
});

t.test('the state contains the token expiry, and reports a refresh', async (t) => {
  const { script, advance, session, nowMs } = await signIn(t, 900);
  const seen: unknown[] = [];
  t.same(session.state, { status: 'signed-in', expiresAtMs: nowMs() + 900_000, reason: null });
  t.throws(() => Object.assign(session.state, { status: 'signed-out' }), 'a snapshot');
  const first = session.state;
  const stop = session.subscribe(() => seen.push(session.state.status));
  await advance(839);
  t.equal(session.state, first, 'the same object until a change');
  await advance(1);
  t.same(seen, ['refreshing', 'signed-in']);
  t.equal(session.state.expiresAtMs, nowMs() + 900_000);
  stop();
  await advance(840);
  t.equal(script.count(refreshing), 2);
  t.equal(seen.length, 2, 'a removed listener is not called');
});

for (const event of ['visibilitychange', 'focus', 'pageshow', 'online', 'resume']) {
  t.test(`a machine that slept past the refresh time refreshes at the next ${event}`, async (t) => {
    const { script, sleep, dispatch } = await signIn(t, 900);
    await dispatch(event);
    t.equal(script.count(refreshing), 0, 'not before its time');
    sleep(841);
    await dispatch(event);
    t.equal(script.count(refreshing), 1);
  });
}

t.test('the end of a sleep without an event is noticed within 30 s', async (t) => {
  const { script, sleep, advance, session } = await signIn(t, 900);
  await advance(100);
  sleep(8 * 3600);
  await advance(30);
  t.equal(script.count(refreshing), 1);
  t.equal(session.state.status, 'signed-in');
});

t.test('a request after a sleep waits for the refresh, and carries no expired token', async (t) => {
  const { script, sleep, session } = await signIn(t, 900);
  const next = grant();
  script.setResponses(refreshing, next);
  script.setResponses('GET /profile', { status: 200, body: {} });
  sleep(3600);
  await session.fetch('profile');
  t.same(
    script.requests.slice(1).map(({ route, authorization }) => [route, authorization]),
    [
      [refreshing, undefined],
      ['GET /profile', `Bearer ${tokenOf(next)}`],
    ],
  );
});

t.test('a clock set back does not prolong a token', async (t) => {
  const { script, setClock, advance } = await signIn(t, 900);
  setClock(-3600);
  await advance(839);
  t.equal(script.count(refreshing), 0);
  await advance(1);
  t.equal(script.count(refreshing), 1);
});

t.test('the token lifetime counts from the request, not from the response', async (t) => {
  const script = await startScriptedService(t);
  let answer = () => {};
  const after = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { session, advance, nowMs } = openTestSession(t, script.address, {
    leavesRequestsOpen: true,
    jitterSeconds: 0,
  });
  script.setResponses('POST /login', { ...grant(900), after });
  const sentAtMs = nowMs();
  const login = session.login(loginFields);
  await script.received('POST /login', 1);
  await advance(12);
  answer();
  await login;
  t.equal(session.state.expiresAtMs, sentAtMs + 900_000);
});

t.test('a starting page is logged in by its cookie, in one request', async (t) => {
  const script = await startScriptedService(t);
  const { session } = openTestSession(t, script.address);
  script.setResponses(refreshing, grant());
  t.equal(session.state.status, 'unknown');
  t.same(await Promise.all([session.resume(), session.resume()]), [true, true]);
  t.equal(await session.resume(), true);
  t.equal(session.state.status, 'signed-in');
  t.equal(script.count(refreshing), 1);
});

t.test('a page without a cookie is logged out, and reports no expiry', async (t) => {
  const script = await startScriptedService(t);
  const { session, expired } = openTestSession(t, script.address);
  script.setResponses(refreshing, errorResponse(401, 'token_invalid'));
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: null });
  t.same(expired, []);
});

t.test('a page with an ended session reports the reason', async (t) => {
  const script = await startScriptedService(t);
  const { session, expired } = openTestSession(t, script.address);
  script.setResponses(refreshing, errorResponse(401, 'session_revoked'));
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: 'session_revoked' });
  t.same(expired, [], 'this page held no session');
});

for (const { answer, reason } of [
  { answer: lost, reason: 'network' },
  { answer: errorResponse(429, 'rate_limited', '7'), reason: 'rate_limited' },
  { answer: errorResponse(503, 'store_unavailable', '7'), reason: 'store_unavailable' },
]) {
  t.test(`a page that starts during ${reason} does not report a logout`, async (t) => {
    const script = await startScriptedService(t);
    const { session, dispatch, advance, expired, losses } = openTestSession(t, script.address);
    script.setResponses(refreshing, answer, grant());
    await t.rejects(session.resume(), { name: 'SessionError', reason, status: answer.status });
    t.same(session.state, { status: 'unknown', expiresAtMs: null, reason });
    await advance(0.9);
    await dispatch('focus');
    t.equal(script.count(refreshing), 1);
    await advance(5.1);
    if (answer !== lost) t.equal(script.count(refreshing), 1, 'nothing before Retry-After is over');
    await advance(1);
    t.equal(session.state.status, 'signed-in', 'it retries automatically');
    t.equal(script.count(refreshing), 2);
    t.same([expired, losses], [[], []], 'this page held no session');
  });
}

t.test('a visitor without a login is logged out without a request', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const { session, dispatch } = openPage();
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: null });
  await dispatch('pageshow', { persisted: true });
  t.equal(await session.resume(), false);
  t.same(script.requests, []);
  t.equal(storage.items.size, 0, 'and stores nothing');
});

t.test('after a login the next page sends a request; after a logout it does not', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const first = openPage();
  await first.session.login(loginFields);
  t.same([...storage.items], [[`tollgate:${script.address}/`, 'signed-in']], 'no secret is kept');
  script.setResponses(refreshing, () => grant());
  t.equal(await openPage().session.resume(), true);
  t.equal(script.count(refreshing), 1);
  await first.session.logout();
  t.equal(storage.items.size, 0);
  t.equal(await openPage().session.resume(), false);
  t.equal(script.count(refreshing), 1);
  t.equal(await first.session.resume(), false);
  t.equal(first.session.state.reason, 'logged_out', 'the reason stays');
});

t.test('a logout without network survives a reload, and there is no refresh before it', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  script.setResponses(refreshing, () => grant());
  const before = openPage();
  await before.session.login(loginFields);
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(before.session.logout());
  t.same([...storage.items], [[`tollgate:${script.address}/`, 'logout']], 'no secret is kept');
  before.session.close();

  const after = openPage();
  t.equal(await after.session.resume(), false);
  t.same(after.session.state, { status: 'signed-out', expiresAtMs: null, reason: 'logout_pending' });
  await after.dispatch('pageshow', { persisted: true });
  await after.advance(10);
  t.equal(await after.session.resume(), false);
  t.equal(await openPage({ hint: false }).session.resume(), false);
  t.equal(script.count(refreshing), 0);
  script.setResponses('DELETE /refresh', { status: 204 });
  await after.dispatch('online');
  t.match(after.session.state, { status: 'signed-out', reason: 'logged_out' });
  t.equal(storage.items.size, 0);
  t.equal(await openPage().session.resume(), false);
  t.same([after.expired, after.losses, script.count(refreshing)], [[], [], 0]);
});

t.test('with hint: false an unconfirmed logout ended a later session, started by other code', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const before = openPage({ hint: false });
  script.setResponses(refreshing, () => grant());
  await before.session.resume();
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(before.session.logout());
  t.equal(storage.items.size, 0);
  t.equal(await before.session.resume(), false);
  t.equal(before.session.state.reason, 'logout_pending', 'this page still completes it');
  before.session.close();

  const ends = script.count('DELETE /refresh');
  t.equal(await openPage({ hint: false }).session.resume(), true);
  t.equal(script.count('DELETE /refresh'), ends);
});

t.test('with hint: false every open tab completes a logout without network', async (t) => {
  const { script, openPage } = await openBrowser(t);
  const { openChannel } = openTabs();
  const [first, second] = [openPage({ hint: false, openChannel }), openPage({ hint: false, openChannel })];
  script.setResponses(refreshing, () => grant());
  for (const { session } of [first, second]) t.equal(await session.resume(), true);
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(first.session.logout());
  first.session.close();
  await second.advance(0);
  t.equal(second.session.state.reason, 'logout_pending');
  script.setResponses('DELETE /refresh', { status: 204 });
  const ends = script.count('DELETE /refresh');
  t.equal(await second.session.resume(), false);
  t.equal(second.session.state.reason, 'logged_out');
  t.equal(script.count('DELETE /refresh'), ends + 1);
});

t.test('the next page completes the logout of a closed page', async (t) => {
  const { script, openPage } = await openBrowser(t);
  const left = openPage({ leavesRequestsOpen: true });
  await left.session.login(loginFields);
  const never = new Promise<void>((resolve) => t.teardown(resolve));
  script.setResponses('POST /logout', { status: 204, after: never });
  left.session.logout().catch(() => {});
  await script.received('POST /logout', 1);
  t.equal(await openPage().session.resume(), false);
  t.same([script.count('DELETE /refresh'), script.count(refreshing)], [1, 0]);
});

t.test('a login ends the pending logout', async (t) => {
  const { script, openPage } = await openBrowser(t);
  const { session, advance } = openPage();
  await session.login(loginFields);
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(session.logout());
  await session.login(loginFields);
  const ends = script.count('DELETE /refresh');
  script.setResponses(refreshing, () => grant());
  await advance(840);
  t.equal(session.state.status, 'signed-in');
  t.equal(await openPage().session.resume(), true);
  t.equal(script.count('DELETE /refresh'), ends);
});

t.test('a rejected login does not end the pending logout', async (t) => {
  const { script, openPage } = await openBrowser(t);
  const { session, advance } = openPage();
  await session.login(loginFields);
  script.setResponses('POST /logout', lost);
  script.setResponses('DELETE /refresh', lost);
  await t.rejects(session.logout());
  script.setResponses('POST /login', errorResponse(422, 'login_failed'));
  t.equal((await session.login(loginFields)).status, 422);
  t.equal(session.state.reason, 'logout_pending');
  script.setResponses('DELETE /refresh', { status: 204 });
  await advance(30);
  t.equal(session.state.reason, 'logged_out');
  t.equal(script.count(refreshing), 0);
});

for (const code of ['token_invalid', 'session_expired', 'session_revoked']) {
  t.test(`if the cookie is no longer valid (${code}) one request is sent`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    await openPage().session.login(loginFields);
    script.setResponses(refreshing, errorResponse(401, code));
    t.equal(await openPage().session.resume(), false);
    t.equal(await openPage().session.resume(), false);
    t.equal(script.count(refreshing), 1);
  });
}

for (const [what, answer] of Object.entries({
  'a cookie conflict': errorResponse(401, 'cookie_conflict'),
  'a rejection by a proxy': errorResponse(401),
  'a rejected origin': errorResponse(403, 'origin_refused'),
  'a store outage': errorResponse(503, 'store_unavailable'),
  'no response': lost,
})) {
  t.test(`${what} does not invalidate the cookie, so the next page sends a request again`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    await openPage().session.login(loginFields);
    script.setResponses(refreshing, answer, grant());
    await openPage()
      .session.resume()
      .catch(() => {});
    t.equal(await openPage().session.resume(), true);
  });
}

const uselessStorages: Readonly<Record<string, () => Storage | undefined>> = {
  'without storage': () => undefined,
  'with a forbidden storage': () => {
    throw new Error('SecurityError');
  },
  'with a full storage': () => ({
    ...createStorage(),
    setItem() {
      throw new Error('QuotaExceededError');
    },
  }),
};

for (const [what, openStorage] of Object.entries(uselessStorages)) {
  t.test(`${what} every page sends a request, so that no user is logged out by mistake`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    const { session } = openPage({ openStorage });
    t.equal(await session.resume(), false);
    t.ok(hasAsked(script));
    await session.login(loginFields);
    script.setResponses(refreshing, grant());
    t.equal(await openPage({ openStorage }).session.resume(), true);
  });
}

t.test(
  'a browser that forbids the channel of tabs, like Firefox without cookies, had no session',
  async (t) => {
    const { script, openPage } = await openBrowser(t);
    const { session } = openPage({
      openChannel() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
    t.equal((await session.login(loginFields)).status, 200);
    t.equal(session.state.status, 'signed-in');
    await session.logout();
    t.equal(script.count('POST /logout'), 1);
  },
);

for (const [what, openStorage] of Object.entries(uselessStorages)) {
  t.test(`${what} the page that logged out without network still completes the logout`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    const { session, advance } = openPage({ openStorage });
    await session.login(loginFields);
    script.setResponses('POST /logout', lost);
    script.setResponses('DELETE /refresh', lost, { status: 204 });
    await t.rejects(session.logout());
    t.equal(await session.resume(), false);
    t.equal(session.state.reason, 'logout_pending');
    await advance(30);
    t.equal(session.state.reason, 'logged_out');
    t.equal(script.count(refreshing), 0);
  });
}

t.test(
  'a page with hint: false always sends a request, and its success sets the hint for the others',
  async (t) => {
    const { script, openPage } = await openBrowser(t);
    script.setResponses(refreshing, () => grant());
    t.equal(await openPage().session.resume(), false, 'the cookie is valid, but the hint is missing');
    t.equal(await openPage({ hint: false }).session.resume(), true);
    t.equal(await openPage().session.resume(), true);
  },
);

t.test('with a token the hint is not read', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const { session, sleep } = openPage();
  await session.login(loginFields);
  storage.clear();
  t.equal(await session.resume(), true);
  sleep(901);
  script.setResponses(refreshing, grant());
  t.equal(await session.resume(), true);
});
