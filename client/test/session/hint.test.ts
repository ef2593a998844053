// Whether a page sends a request when it starts: only if somebody may be signed in, and always if nothing is known.
import t from 'tap';
import { openTestSession, type TestSessionOptions } from '../support/session-clock.js';
import {
  grant,
  lost,
  refuse,
  type ScriptedService,
  startScriptedService,
} from '../support/session-script.js';
import { loginFields, refreshing } from '../support/session-sign-in.js';

/** The storage of a browser, shared by all its tabs. */
function createStorage(): Storage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    key: (at) => [...items.keys()][at] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: (key, value) => void items.set(key, value),
  };
}

async function openBrowser(t: Parameters<typeof startScriptedService>[0]) {
  const script = await startScriptedService(t);
  script.setAnswers('POST /login', () => grant());
  script.setAnswers('POST /logout', { status: 204 });
  script.setAnswers('DELETE /refresh', { status: 204 });
  script.setAnswers(refreshing, refuse(401, 'token_invalid'));
  const storage = createStorage();
  const openPage = (options: TestSessionOptions = {}) =>
    openTestSession(t, script.address, { openStorage: () => storage, ...options });
  return { script, storage, openPage };
}

const hasAsked = (script: ScriptedService) => script.count(refreshing) > 0;

t.test('a visitor who was never signed in is signed out without a request', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const { session, dispatch } = openPage();
  t.equal(await session.resume(), false);
  t.same(session.state, { status: 'signed-out', expiresAtMs: null, reason: null });
  await dispatch('pageshow', { persisted: true });
  t.equal(await session.resume(), false);
  t.same(script.requests, []);
  t.equal(storage.items.size, 0, 'and leaves nothing');
});

t.test('after a log-in the next page asks; after a log-out it does not', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const first = openPage();
  await first.session.login(loginFields);
  t.same([...storage.items], [[`tollgate:${script.address}/`, 'signed-in']], 'no secret is kept');
  script.setAnswers(refreshing, () => grant());
  t.equal(await openPage().session.resume(), true);
  t.equal(script.count(refreshing), 1);
  await first.session.logout();
  t.equal(storage.items.size, 0);
  t.equal(await openPage().session.resume(), false);
  t.equal(script.count(refreshing), 1);
  t.equal(await first.session.resume(), false);
  t.equal(first.session.state.reason, 'logged_out', 'what was said stays');
});

t.test('a log-out that failed keeps the hint', async (t) => {
  const { script, storage, openPage } = await openBrowser(t);
  const { session } = openPage();
  await session.login(loginFields);
  script.setAnswers('POST /logout', refuse(503, 'store_unavailable'));
  await t.rejects(session.logout());
  t.equal(storage.items.size, 1);
});

for (const code of ['token_invalid', 'session_expired', 'session_revoked']) {
  t.test(`where the cookie is no longer valid (${code}) one request is sent`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    await openPage().session.login(loginFields);
    script.setAnswers(refreshing, refuse(401, code));
    t.equal(await openPage().session.resume(), false);
    t.equal(await openPage().session.resume(), false);
    t.equal(script.count(refreshing), 1);
  });
}

for (const [what, answer] of Object.entries({
  'a conflict of cookies': refuse(401, 'cookie_conflict'),
  'a refusal of something in between': refuse(401),
  'a refused origin': refuse(403, 'origin_refused'),
  'a store that is away': refuse(503, 'store_unavailable'),
  'no answer': lost,
})) {
  t.test(`${what} says nothing about the cookie, so the next page sends a request again`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    await openPage().session.login(loginFields);
    script.setAnswers(refreshing, answer, grant());
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
  t.test(`${what} every page sends a request, so that nobody is logged out by accident`, async (t) => {
    const { script, openPage } = await openBrowser(t);
    const { session } = openPage({ openStorage });
    t.equal(await session.resume(), false);
    t.ok(hasAsked(script));
    await session.login(loginFields);
    script.setAnswers(refreshing, grant());
    t.equal(await openPage({ openStorage }).session.resume(), true);
  });
}

t.test(
  'a page with hint: false always sends a request, and its success sets the hint for the others',
  async (t) => {
    const { script, openPage } = await openBrowser(t);
    script.setAnswers(refreshing, () => grant());
    t.equal(await openPage().session.resume(), false, 'the cookie lives, and the mark is gone');
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
  script.setAnswers(refreshing, grant());
  t.equal(await session.resume(), true);
});
