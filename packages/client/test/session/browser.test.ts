// Session in Chromium, with the real services: login, silent refresh, network faults, end of the session.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  becomes,
  isReplaced,
  logInAt,
  openSessionPage,
  openTab,
  profile,
  profileOfDemo,
  states,
} from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t);
});
t.teardown(() => browser?.close());

const open = (t: Test, options = {}, hasClock = false) =>
  openSessionPage(t, site, browser, { options, hasClock });
const logIn = (page: Page) => logInAt(page, site);

t.test('a login, a protected request, a reload, a logout', async (t) => {
  const page = await open(t);
  t.same(await states(page), { status: 'unknown', expiresAtMs: null, reason: null });
  t.equal(await page.evaluate(() => session.resume()), false);
  t.equal((await states(page)).status, 'signed-out');
  t.equal((await profile(page)).status, 401);
  t.equal(await logIn(page), 200);
  t.match(await states(page), { status: 'signed-in', reason: null });
  t.same(await profile(page), profileOfDemo);

  await page.reload();
  t.same(await states(page), { status: 'unknown', expiresAtMs: null, reason: null }, 'the token is lost');
  t.equal(await page.evaluate(() => session.resume()), true);
  t.same(await profile(page), profileOfDemo);

  await page.evaluate(() => session.logout());
  t.match(await states(page), { status: 'signed-out', reason: 'logged_out' });
  t.same(await page.context().cookies(`${site.address}/refresh`), []);
  await page.reload();
  t.equal(await page.evaluate(() => session.resume()), false);
  t.same(await page.evaluate(() => expired), []);
});

t.test('the form receives the unchanged response to a rejected login', async (t) => {
  const page = await open(t);
  const fields = { ...(await site.credentials()), email: 'nobody@example.com' };
  const answer = await page.evaluate(async (fields) => {
    const response = await session.login(fields);
    return { status: response.status, body: await response.json() };
  }, fields);
  t.match(answer, {
    status: 422,
    body: { code: 'login_failed', captcha_required: false, pow_scope: String },
  });
});

t.test('a form with challenges logs in with one line', async (t) => {
  const page = await open(t);
  const answers = await page.evaluate(
    async ({ email, password }) => {
      const from = '/client/tollgate.js';
      const { createChallenge } = (await import(from)) as typeof import('@tollgate/client/challenge');
      const challenge = createChallenge();
      const logIn = async (email: string) =>
        (await challenge.submit((fields) => session.login({ email, password, ...fields }))).status;
      const answers = [await logIn('somebody@example.com'), await logIn(email)];
      challenge.close();
      return answers;
    },
    await site.credentials(),
  );
  t.same(answers, [422, 200]);
  t.same(await profile(page), profileOfDemo);
});

t.test('the token is refreshed a minute before it expires, without a visible change', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  const before = site.count('POST /refresh');
  await page.evaluate(() => {
    Object.assign(globalThis, { seen: [] as string[] });
    session.subscribe(() => (globalThis as unknown as { seen: string[] }).seen.push(session.state.status));
  });
  // From here on time passes only by `runFor`, regardless of the machine's speed.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);
  const nowMs = await page.evaluate(() => Date.now());
  const { expiresAtMs } = await states(page);
  await page.clock.runFor((expiresAtMs ?? 0) - nowMs - 61_000);
  t.equal(site.count('POST /refresh'), before);
  await page.clock.runFor(1_500);
  await page.waitForFunction(() => (globalThis as unknown as { seen: string[] }).seen.includes('signed-in'));
  t.equal(site.count('POST /refresh'), before + 1);
  t.same(await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen), [
    'refreshing',
    'signed-in',
  ]);
  t.same(await profile(page), profileOfDemo);
});

t.test('the session continues after a laptop slept for a night', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  await page.clock.runFor(10_000);
  const { expiresAtMs } = await states(page);
  const before = site.count('POST /refresh');
  // Like on a real machine, the wall clock has advanced, but no timer has fired.
  await page.clock.setSystemTime(Date.now() + 8 * 3_600_000);
  t.equal((await states(page)).status, 'signed-in');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await isReplaced(page, expiresAtMs);
  t.equal(site.count('POST /refresh'), before + 1);
  t.same(await profile(page), profileOfDemo);
  t.same(await page.evaluate(() => expired), []);
});

t.test('the end of a sleep without an event is noticed by a timer', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  const { expiresAtMs } = await states(page);
  await page.clock.setSystemTime(Date.now() + 8 * 3_600_000);
  await page.clock.runFor(30_000);
  await isReplaced(page, expiresAtMs);
  t.same(await page.evaluate(() => expired), []);
});

t.test('the end of a session elsewhere is noticed at the next request, and reported', async (t) => {
  const page = await open(t);
  await logIn(page);
  const other = await open(t);
  await logIn(other);
  await other.evaluate(() => session.fetch('sessions', { method: 'DELETE' }));
  await page.waitForFunction(async () => (await session.fetch('profile')).status === 401);
  t.same(await states(page), { status: 'signed-out', expiresAtMs: null, reason: 'session_revoked' });
  t.same(await page.evaluate(() => expired), ['session_revoked']);
  t.same(await profile(other), profileOfDemo);
});

t.test('a refresh with a lost response is repeated, and nobody is logged out', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  const { expiresAtMs } = await states(page);
  const before = site.count('POST /refresh');
  site.loseAnswers('POST /refresh', 3);
  for (const seconds of [841, 1, 2, 4]) {
    const ended = seconds === 4 ? page.waitForEvent('requestfinished') : page.waitForEvent('requestfailed');
    await page.clock.runFor(seconds * 1000);
    await ended;
  }
  await isReplaced(page, expiresAtMs);
  t.equal(site.count('POST /refresh'), before + 4);
  t.same(await profile(page), profileOfDemo);
  t.same(await page.evaluate(() => expired), []);
});

t.test('offline at the time of the refresh, and back', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  const { expiresAtMs } = await states(page);
  await page.context().setOffline(true);
  await page.clock.runFor(845_000);
  t.equal((await states(page)).status, 'refreshing', 'logged in during the token lifetime');
  await page.context().setOffline(false);
  await isReplaced(page, expiresAtMs);
  t.same(await page.evaluate(() => expired), []);
});

t.test('offline past the token expiry: unknown, and logged in when the network is back', async (t) => {
  const page = await open(t, {}, true);
  await logIn(page);
  await page.context().setOffline(true);
  while ((await states(page)).status !== 'unknown') await page.clock.runFor(30_000);
  t.equal((await states(page)).reason, 'network');
  t.same(await page.evaluate(() => losses), ['network']);
  await page.context().setOffline(false);
  await becomes(page, 'signed-in');
  t.same(await profile(page), profileOfDemo);
  t.same(await page.evaluate(() => expired), []);
});

t.test('a page that starts offline is unknown until the network is back', async (t) => {
  const page = await open(t);
  await logIn(page);
  await page.reload();
  await page.context().setOffline(true);
  const failed = await page.evaluate(() => session.resume().catch(({ name, reason }) => ({ name, reason })));
  t.same(failed, { name: 'SessionError', reason: 'network' });
  t.equal((await states(page)).status, 'unknown');
  await page.context().setOffline(false);
  await becomes(page, 'signed-in');
});

t.test('a logout during a store outage is completed afterwards', async (t) => {
  const page = await open(t);
  await logIn(page);
  for (const what of ['POST /logout', 'DELETE /refresh']) site.fail(what, 503, { 'retry-after': '1' });
  const failed = await page.evaluate(() =>
    session.logout().catch(({ reason, status, retryAfterMs }) => ({ reason, status, retryAfterMs })),
  );
  t.same(failed, { reason: 'made_up', status: 503, retryAfterMs: 1000 });
  t.match(await states(page), { status: 'signed-out', reason: 'logout_pending' });
  t.equal((await profile(page)).status, 401);
  await page.reload();
  t.equal(await page.evaluate(() => session.resume()), false);
  t.match(await states(page), { status: 'signed-out', reason: 'logout_pending' });
  t.equal((await page.context().cookies(`${site.address}/refresh`)).length, 1);
  site.restore();
  await page.waitForFunction(() => session.state.reason === 'logged_out');
  t.same(await page.context().cookies(`${site.address}/refresh`), []);
});

t.test('two tabs log out offline, and both are logged out when the network is back', async (t) => {
  const page = await open(t);
  await logIn(page);
  const other = await openTab(page.context(), site);
  await other.evaluate(() => session.resume());
  const refreshes = site.count('POST /refresh');
  await page.context().setOffline(true);
  t.equal(await page.evaluate(() => session.logout().catch(({ reason }) => reason)), 'network');
  await becomes(other, 'signed-out');
  for (const tab of [page, other]) t.equal((await states(tab)).reason, 'logout_pending');
  await page.close();
  await page.context().setOffline(false);
  await other.waitForFunction(() => session.state.reason === 'logged_out');
  t.same(await other.context().cookies(`${site.address}/refresh`), []);
  t.equal(site.count('POST /refresh'), refreshes);
});

t.test('a real upload is repeated completely', async (t) => {
  const page = await open(t);
  await logIn(page);
  const status = await page.evaluate(async () => {
    const body = new Blob([new Uint8Array(3_000_000)]);
    return (await session.fetch('upload', { method: 'POST', body })).status;
  });
  t.equal(status, 200);
  t.same(site.uploads, [3_000_000, 3_000_000]);
});
