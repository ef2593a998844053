// Browser key, with the real services: a copied cookie is useless, and the key is never replaced. Also Device Bound Session
// Credentials in a Chromium that supports them: registration, renewals, and no false logout.

import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { becomes, logInAt, openSessionPage, openTab, states } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t);
});
t.teardown(() => browser?.close());

const open = (t: Test) => openSessionPage(t, site, browser);

/** Bindings in the responses to logins and refreshes, in order. */
function bindingsOf(page: Page): (string | undefined)[] {
  const seen: (string | undefined)[] = [];
  page.on('response', (response) => {
    if (!/\/(login|refresh)$/.test(new URL(response.url()).pathname)) return;
    seen.push(response.headers()['refresh-binding']);
  });
  return seen;
}

/** Resumes the session after a reload. */
async function resumeAnew(page: Page): Promise<boolean> {
  await page.reload();
  await page.waitForFunction(() => 'session' in globalThis);
  return page.evaluate(() => session.resume());
}

/** Logs a page in as if it had no key: the session is bound after the login. */
async function hideKeyAtLogIn(page: Page): Promise<void> {
  await page.route('**/login', async (route) => {
    const { 'refresh-proof': _proof, ...headers } = await route.request().allHeaders();
    await route.continue({ headers });
  });
}

/** Logs in without the session package, and without keys. */
async function logInByOtherCode(page: Page): Promise<void> {
  const fields = await site.credentials();
  await page.evaluate(async (fields) => {
    const headers = { 'content-type': 'application/json' };
    await fetch('/login', { method: 'POST', headers, body: JSON.stringify(fields) });
    localStorage.setItem(`tollgate:${location.origin}/`, 'signed-in');
  }, fields);
}

/** Returns the public points of the stored keys. */
function keysOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const request = indexedDB.open('tollgate');
    await new Promise((resolve) => request.addEventListener('success', resolve));
    const all = request.result.transaction('keys').objectStore('keys').getAll();
    await new Promise((resolve) => all.addEventListener('success', resolve));
    request.result.close();
    return all.result.map(({ x, y }) => `${x}.${y}`);
  });
}

/** Refreshes with stolen cookies. */
async function refreshElsewhere(page: Page): Promise<{ status: number; code: string }> {
  const cookies = await page.context().cookies(`${site.address}/refresh`);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${site.address}/refresh`, { method: 'POST', headers: { cookie } });
  return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
}

t.test('a session starts bound, its copied cookie is rejected, and its page continues', async (t) => {
  const page = await open(t);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, ['key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['key', 'key'], 'a reloaded page has the last nonce');
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) {
      if (name.includes('nonce')) localStorage.setItem(name, 'a-nonce-of-yesterday');
    }
  });
  t.equal(await resumeAnew(page), true);
  t.same(bindings.slice(2), [undefined, 'key'], 'one with an old nonce receives a new one');
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

t.test('a page without the proof module is not logged out', async (t) => {
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

t.test('a browser without its key has to log in again: it is not treated as theft', async (t) => {
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
  t.match(await states(page), { reason: 'binding_required' }, 'the new key was not used');
  t.equal(await logInAt(page, site), 200);
  t.equal(await resumeAnew(page), true);
});

t.test('concurrent tabs bind a session with one key', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  await page.route('**/refresh', (route) => route.abort());
  t.equal(await logInAt(page, site), 200);
  const tabs = await Promise.all(
    [1, 2, 3].map(() => openTab(page.context(), site, { lockSeconds: 0, hint: false })),
  );
  const bindings = tabs.map(bindingsOf);
  t.same(await Promise.all(tabs.map((tab) => tab.evaluate(() => session.resume()))), [true, true, true]);
  // An error response makes each of them refresh, at the same time.
  for (const tab of tabs) await tab.route('**/profile', (route) => route.fulfill({ status: 401 }));
  await Promise.all(tabs.map((tab) => tab.evaluate(() => session.fetch('profile'))));
  for (const tab of tabs) t.equal(await resumeAnew(tab), true);
  for (const seen of bindings) t.equal(seen.at(-1), 'key');
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
});

t.test('a session started without a key is bound at once, with its login nonce', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, ['none', 'key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['none', 'key', 'key']);
});

t.test('a response lost during the binding logs nobody out', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  site.loseAnswers('POST /refresh', 1);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['none', 'key']);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
});

t.test('a page reloaded before the binding still binds its session', async (t) => {
  const page = await open(t);
  await hideKeyAtLogIn(page);
  await page.route('**/refresh', (route) => route.abort());
  t.equal(await logInAt(page, site), 200);
  await page.unroute('**/refresh');
  const bindings = bindingsOf(page);
  t.equal(await resumeAnew(page), true);
  t.same(bindings, ['key']);
});

t.test('a session started by other code stays unbound, and its pages continue', async (t) => {
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
  t.same(bindings.slice(3), [undefined, 'none'], 'an old nonce costs one more request');
  // An error response makes the page refresh: it knows that no proof is required.
  const proofs: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/refresh')) proofs.push(request.headers()['refresh-proof']);
  });
  await page.route('**/profile', (route) => route.fulfill({ status: 401 }));
  await page.evaluate(() => session.fetch('profile'));
  t.same(proofs, [undefined]);
});

t.test('a logout removes key and nonces from the browser', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  const [first] = await keysOf(page);
  const other = await openTab(page.context(), site);
  await other.evaluate(() => session.resume());
  await page.evaluate(() => session.logout());
  await becomes(other, 'signed-out');
  t.same(await keysOf(page), []);
  t.same(await page.evaluate(() => Object.keys(localStorage)), []);
  const bindings = bindingsOf(other);
  t.equal(await logInAt(other, site), 200);
  t.same(bindings, ['key']);
  const keys = await keysOf(page);
  t.equal(keys.length, 1);
  t.not(keys[0], first);
  t.equal(await resumeAnew(page), true, 'a tab that knew the earlier key uses the new one');
});

t.test('a logout completed after a reload removes key and nonces', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  await page.route(/\/(logout|refresh)$/, (route) => route.abort());
  t.equal(await page.evaluate(() => session.logout().catch(({ reason }) => reason)), 'network');
  t.equal((await keysOf(page)).length, 1, 'the session may continue');
  await page.unroute(/\/(logout|refresh)$/);
  t.equal(await resumeAnew(page), false);
  t.same(await keysOf(page), []);
  t.same(await page.evaluate(() => Object.keys(localStorage)), []);
});

t.test('each session of a browser has another key, also without a logout', async (t) => {
  const page = await open(t);
  await logInAt(page, site);
  const [first] = await keysOf(page);
  const wrong = { ...(await site.credentials()), password: 'wrong password' };
  t.equal(await page.evaluate(async (fields) => (await session.login(fields)).status, wrong), 422);
  t.same(await keysOf(page), [first], 'a failed login leaves the session and its key');
  t.equal(await resumeAnew(page), true);
  const bindings = bindingsOf(page);
  t.equal(await logInAt(page, site), 200);
  t.same(bindings, ['none', 'key'], 'the earlier key is not shown');
  const [second] = await keysOf(page);
  t.not(second, first);
  t.equal(await resumeAnew(page), true);
  t.same(await refreshElsewhere(page), { status: 401, code: 'binding_required' });
});

t.test('a service with another public address than the page’s still accepts the login', async (t) => {
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

t.test('a refresh without the browser’s own DBSC key is repeated three times', async (t) => {
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

t.test('Device Bound Session Credentials', async (t) => {
  const executablePath = process.env.CHROMIUM_DBSC;
  const features = [
    'DeviceBoundSessions:RequireOriginTrialTokens/false/RefreshQuota/false',
    'EnableBoundSessionCredentialsSoftwareKeysForManualTesting',
  ];

  const skip = executablePath
    ? false
    : 'SKIPPED device-bound browser tests: no Chromium 149 or 150 (CHROMIUM_DBSC)';

  t.test('a browser keeps its session key', { skip }, async (t) => {
    const site = await startSessionSite(t, { BOUND_COOKIE_TTL: '130' });
    const profile = tempDir(t);
    const launch = async (): Promise<BrowserContext> => {
      const context = await chromium.launchPersistentContext(profile, {
        executablePath: String(executablePath),
        args: ['--headless', '--no-sandbox', '--disable-gpu', `--enable-features=${features.join(',')}`],
      });
      t.teardown(() => context.close());
      return context;
    };
    let context = await launch();
    let page = await openTab(context, site, { hint: false });
    const boundCookie = async () =>
      (await context.cookies(`${site.address}/refresh`)).find(({ name }) => name === 'refreshBinding');
    const dropCookie = () => context.clearCookies({ name: 'refreshBinding' });

    await t.test('it registers after the login', async (t) => {
      t.equal(await logInAt(page, site), 200);
      await until(async () => (await boundCookie()) !== undefined);
      t.equal(site.count('POST /refresh/bind'), 1);
      const renewals = site.count('POST /refresh/renew');
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
      t.equal(site.count('POST /refresh/renew'), renewals, 'the cookie matches its announcement');
    });

    await t.test('its copied refresh cookie is rejected, and it continues', async (t) => {
      t.same(await refreshWithCopy(site, context), { status: 401, code: 'binding_required' });
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
    });

    await t.test('it renews an expired cookie, once for three tabs', async (t) => {
      const tabs = [page, await openTab(context, site), await openTab(context, site)];
      await dropCookie();
      const before = site.count('POST /refresh/renew');
      const answers = await Promise.all(tabs.map(resumeAndSee));
      for (const answer of answers) t.match(answer, { isSignedIn: true, binding: 'dbsc' });
      t.equal(site.count('POST /refresh/renew') - before, 2, 'a challenge and its proof');
      for (const tab of tabs.slice(1)) await tab.close();
    });

    await t.test('a short store outage logs nobody out', async (t) => {
      await dropCookie();
      site.fail('POST /refresh/renew', 503, { 'retry-after': '1' });
      const resumed = resumeAndSee(page);
      await until(() => site.requests.slice(-3).includes('POST /refresh'));
      site.restore();
      t.match(await resumed, { isSignedIn: true, binding: 'dbsc' });
    });

    await t.test('a second login replaces the first session, and continues', async (t) => {
      const bindings = site.count('POST /refresh/bind');
      t.equal(await logInAt(page, site), 200);
      await until(() => site.count('POST /refresh/bind') > bindings);
      await until(async () => (await boundCookie()) !== undefined);
      await dropCookie();
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
      await dropCookie();
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
    });

    await t.test('a restart keeps session and key', async (t) => {
      await context.close();
      context = await launch();
      await dropCookie();
      page = await openTab(context, site, { hint: false });
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
    });

    await t.test('a logout ends it, and the next login registers again', async (t) => {
      await page.evaluate(() => session.logout());
      await becomes(page, 'signed-out');
      t.equal(await boundCookie(), undefined);
      t.equal(await logInAt(page, site), 200);
      await until(async () => (await boundCookie()) !== undefined);
      t.match(await resumeAndSee(page), { isSignedIn: true, binding: 'dbsc' });
    });
  });

  /** Reloads the page and resumes its session. @returns the binding in the last response */
  async function resumeAndSee(page: Page): Promise<{ isSignedIn: boolean; binding: string | undefined }> {
    let binding: string | undefined;
    page.on('response', (response) => {
      if (response.url().endsWith('/refresh')) binding = response.headers()['refresh-binding'] ?? binding;
    });
    await page.reload();
    await page.waitForFunction(() => 'session' in globalThis);
    return { isSignedIn: await page.evaluate(() => session.resume()), binding };
  }

  /** Refreshes with a copy of the refresh cookie only. */
  async function refreshWithCopy(site: SessionSite, context: BrowserContext) {
    const cookies = await context.cookies(`${site.address}/refresh`);
    const cookie = `refreshToken=${cookies.find(({ name }) => name === 'refreshToken')?.value}`;
    const answer = await fetch(`${site.address}/refresh`, { method: 'POST', headers: { cookie } });
    return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
  }

  /** Waits for a condition; fails after ten seconds. */
  async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    const limitMs = performance.now() + 10_000;
    while (!(await isSo())) {
      if (performance.now() > limitMs) throw new Error('the condition was not met within ten seconds');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
