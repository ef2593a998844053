// First request of a page: only if a user may be logged in, and always if this is unknown.
import t from 'tap';
import { openTestSession, type TestSessionOptions } from '../support/session-clock.js';
import {
  errorResponse,
  grant,
  lost,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing } from '../support/session-sign-in.js';
import { createStorage } from '../support/session-tabs.js';

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
