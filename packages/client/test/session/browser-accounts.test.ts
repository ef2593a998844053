// Two accounts in one Chromium, with the real services: the last login wins.

import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { becomes, logInAt, openSessionPage, openTab, profile } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

t.setTimeout(300_000);

const bob = { email: 'bob@example.com', password: 'correct horse battery staple' };
const profileOfBob = { status: 200, body: { id: 2, email: bob.email } };

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t, {}, [bob]);
});
t.teardown(() => browser?.close());

/** Opens a page with the cookie of the demo account. */
async function openPageOfDemo(t: Test, hasLocks: boolean): Promise<Page> {
  const page = await openSessionPage(t, site, browser);
  if (!hasLocks) {
    await page.context().addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  }
  await logInAt(page, site);
  await page.reload();
  return page;
}

/** Starts a refresh with a delayed response and cookie. @returns a function that releases it */
async function beginRefresh(page: Page): Promise<() => void> {
  const before = site.count('POST /refresh');
  const release = site.delay('POST /refresh');
  const sent = page.waitForRequest('**/refresh');
  await page.evaluate(() => void session.resume().catch(() => {}));
  await sent;
  while (site.count('POST /refresh') === before) await page.evaluate(() => fetch('/other'));
  return release;
}

for (const hasLocks of [true, false]) {
  const where = hasLocks ? 'with locks' : 'without locks';

  t.test(`a late refresh response after a login does not restore the previous user, ${where}`, async (t) => {
    const page = await openPageOfDemo(t, hasLocks);
    const release = await beginRefresh(page);
    t.equal(await logInAt(page, site, bob), 200);
    release();
    t.same(await profile(page), profileOfBob);
    await page.reload();
    t.equal(await page.evaluate(() => session.resume()), true);
    t.same(await profile(page), profileOfBob, 'the cookie belongs to the displayed user');
  });
}

t.test('nor does a refresh of another tab', async (t) => {
  const page = await openPageOfDemo(t, false);
  const tab = await openTab(page.context(), site);
  const release = await beginRefresh(tab);
  const before = site.countAborted('POST /refresh');
  t.equal(await logInAt(page, site, bob), 200);
  await until(() => site.countAborted('POST /refresh') > before, 'the tab aborts its refresh');
  release();
  await becomes(tab, 'signed-in');
  t.same(await profile(tab), profileOfBob);
  await page.reload();
  t.equal(await page.evaluate(() => session.resume()), true);
  t.same(await profile(page), profileOfBob);
});

t.test('nor does a refresh of a closed page', async (t) => {
  const page = await openPageOfDemo(t, true);
  const release = await beginRefresh(page);
  await page.reload();
  t.equal(await logInAt(page, site, bob), 200);
  release();
  await page.reload();
  t.equal(await page.evaluate(() => session.resume()), true);
  t.same(await profile(page), profileOfBob);
});
