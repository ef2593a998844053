// The key of a browser, over the real services: what a copied cookie is worth, and that the key is never replaced.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { logInAt, openSessionPage, openTab, states } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

t.setTimeout(300_000);

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t);
});
t.teardown(() => browser?.close());

const open = (t: Test) => openSessionPage(t, site, browser);

/** What the answers to logins and refreshes say of the binding, in order. */
function bindingsOf(page: Page): (string | undefined)[] {
  const seen: (string | undefined)[] = [];
  page.on('response', (response) => {
    if (!/\/(login|refresh)$/.test(new URL(response.url()).pathname)) return;
    seen.push(response.headers()['refresh-binding']);
  });
  return seen;
}

/** Resumes the session in a page that has been loaded again. */
async function resumeAnew(page: Page): Promise<boolean> {
  await page.reload();
  await page.waitForFunction(() => 'session' in globalThis);
  return page.evaluate(() => session.resume());
}

/** Lets a page sign in as if it had no key when it asked: the session is bound after its sign-in. */
async function hideKeyAtLogIn(page: Page): Promise<void> {
  await page.route('**/login', async (route) => {
    const { 'refresh-proof': _proof, ...headers } = await route.request().allHeaders();
    await route.continue({ headers });
  });
}

/** A login of other code than the session, which knows nothing of keys. */
async function logInByOtherCode(page: Page): Promise<void> {
  const fields = await site.credentials();
  await page.evaluate(async (fields) => {
    const headers = { 'content-type': 'application/json' };
    await fetch('/login', { method: 'POST', headers, body: JSON.stringify(fields) });
    localStorage.setItem(`tollgate:${location.origin}/`, 'signed-in');
  }, fields);
}

/** A refresh by whoever has copied the cookies. */
async function refreshElsewhere(page: Page): Promise<{ status: number; code: string }> {
  const cookies = await page.context().cookies(`${site.address}/refresh`);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${site.address}/refresh`, { method: 'POST', headers: { cookie } });
  return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
}

t.test('a session starts bound, its copied cookie is refused, and its page goes on', async (t) => {
  const page = await open(t);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, ['key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['key', 'key'], 'a page that is loaded again has the last nonce');
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) {
      if (name.includes('nonce')) localStorage.setItem(name, 'a-nonce-of-yesterday');
    }
  });
  t.equal(await resumeAnew(page), true);
  t.same(bindings.slice(2), [undefined, 'key'], 'one that has no nonce of today is told one');
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
  const stored = await page.evaluate(async () => {
    const [{ name = '' } = {}] = await indexedDB.databases();
    const request = indexedDB.open(name);
    await new Promise((resolve) => request.addEventListener('success', resolve));
    const all = request.result.transaction('keys').objectStore('keys').getAll();
    await new Promise((resolve) => all.addEventListener('success', resolve));
    request.result.close();
    return all.result.map(({ privateKey }) => privateKey.extractable);
  });
  t.same(stored, [false]);
  await page.evaluate(() => session.logout());
  t.equal((await states(page)).status, 'signed-out');
});

t.test('a page whose code for the key did not load is not signed out for that', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  await page.route('**/proof.js', (route) => route.abort());
  await page.reload();
  await page.waitForFunction(() => 'session' in globalThis);
  const failed = await page.evaluate(() => session.resume().catch(({ reason }) => reason));
  t.equal(failed, 'network');
  t.match(await states(page), { status: 'unknown', reason: 'network' });
  t.same(await page.evaluate(() => expired), []);
  await page.unroute('**/proof.js');
  t.equal(await resumeAnew(page), true);
});

t.test('a browser that has lost its key signs in again: it does not look like a thief', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.deleteDatabase('tollgate').onsuccess = resolve;
      }),
  );
  t.equal(await resumeAnew(page), false);
  t.match(await states(page), { status: 'signed-out', reason: 'binding_required' });
  const wrong = { ...(await site.credentials()), password: 'wrong password' };
  t.equal(await page.evaluate(async (fields) => (await session.login(fields)).status, wrong), 422);
  t.equal(await resumeAnew(page), false);
  t.match(await states(page), { reason: 'binding_required' }, 'the key made meanwhile was not shown');
  t.equal(await logInAt(page, site), 200);
  t.equal(await resumeAnew(page), true);
});

t.test('tabs that bind a session at the same time share one key', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  await page.route('**/refresh', (route) => route.abort());
  t.equal(await logInAt(page, site), 200);
  const tabs = await Promise.all(
    [1, 2, 3].map(() => openTab(page.context(), site, { lockSeconds: 0, hint: false })),
  );
  const bindings = tabs.map(bindingsOf);
  t.same(await Promise.all(tabs.map((tab) => tab.evaluate(() => session.resume()))), [true, true, true]);
  // A refusal makes each of them refresh, at the same time.
  for (const tab of tabs) await tab.route('**/profile', (route) => route.fulfill({ status: 401 }));
  await Promise.all(tabs.map((tab) => tab.evaluate(() => session.fetch('profile'))));
  for (const tab of tabs) t.equal(await resumeAnew(tab), true);
  for (const seen of bindings) t.equal(seen.at(-1), 'key');
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
});

t.test('a session that started without a key is bound at once, with the nonce of its sign-in', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, ['none', 'key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['none', 'key', 'key']);
});

t.test('a response that is lost while a session is bound signs nobody out', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  site.loseAnswers('POST /refresh', 1);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['none', 'key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
});

t.test('a page that is loaded again before its session was bound still binds it', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  await page.route('**/refresh', (route) => route.abort());
  t.equal(await logInAt(page, site), 200);
  await page.unroute('**/refresh');
  const bindings = bindingsOf(page);
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['key']);
});

t.test('a session that other code has started stays unbound, and its pages go on', async (t) => {
  const page = await open(t);
  await logInByOtherCode(page);
  const bindings = bindingsOf(page);
  for (let pages = 0; pages < 3; pages++) t.equal(await resumeAnew(page), true);
  t.same(bindings, ['none', 'none', 'none']);
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) {
      if (name.includes('nonce')) localStorage.setItem(name, 'a-nonce-of-yesterday');
    }
  });
  t.equal(await resumeAnew(page), true);
  t.same(bindings.slice(3), [undefined, 'none'], 'an old nonce costs one request more');
  // A refusal makes the page refresh: it knows now that there is nothing to prove.
  const proofs: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/refresh')) proofs.push(request.headers()['refresh-proof']);
  });
  await page.route('**/profile', (route) => route.fulfill({ status: 401 }));
  await page.evaluate(() => session.fetch('profile'));
  t.same(proofs, [undefined]);
});

t.test('a service that knows the page under another address still lets it sign in', async (t) => {
  const page = await open(t);
  await page.route('**/login', async (route) => {
    if ((await route.request().headerValue('refresh-proof')) === null) return route.continue();
    const errors = { 'Refresh-Proof': ['This value has the wrong format.'] };
    return route.fulfill({ status: 422, json: { message: 'No.', code: 'validation_failed', errors } });
  });
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, [undefined, 'none']);
});

t.test('a refresh without the key of the browser itself is repeated three times', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  let refreshes = 0;
  await page.route('**/refresh', (route) => {
    refreshes += 1;
    const headers = { 'refresh-nonce': 'n', 'refresh-binding': 'dbsc', 'retry-after': '1' };
    return route.fulfill({ status: 401, headers, json: { message: 'No.', code: 'binding_required' } });
  });
  t.equal(await resumeAnew(page), false);
  t.equal(refreshes, 4);
  t.match(await states(page), { status: 'signed-out', reason: 'binding_required' });
});
