// Several tabs of one Chromium, with the real services: the session survives all concurrent actions.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { becomes, logInAt, openTab, profile, profileOfDemo, states } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

t.setTimeout(300_000);

let site: SessionSite;
let strict: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t);
  strict = await startSessionSite(t, { REFRESH_WINDOW: '0' });
});
t.teardown(() => browser?.close());

async function openTabs(
  t: Test,
  at: SessionSite,
  count: number,
  options = {},
  hasClock = false,
): Promise<Page[]> {
  const context: BrowserContext = await browser.newContext();
  t.teardown(() => context.close());
  if (hasClock) await context.clock.install();
  const tabs: Page[] = [];
  for (let tab = 0; tab < count; tab++) tabs.push(await openTab(context, at, options));
  return tabs;
}

const each = <T>(tabs: readonly Page[], work: (tab: Page) => Promise<T>) => Promise.all(tabs.map(work));

for (const count of [2, 5]) {
  t.test(`${count} tabs started at the same time are all logged in by one cookie`, async (t) => {
    const tabs = await openTabs(t, site, count);
    await logInAt(tabs[0]!, site);
    for (let round = 0; round < 2; round++) {
      await each(tabs, (tab) => tab.reload());
      site.takeMaxConcurrent('POST /refresh');
      t.same(
        await each(tabs, (tab) => tab.evaluate(() => session.resume())),
        tabs.map(() => true),
      );
      t.equal(site.takeMaxConcurrent('POST /refresh'), 1, 'one after the other');
    }
    t.same(
      await each(tabs, profile),
      tabs.map(() => profileOfDemo),
    );
  });

  t.test(
    `${count} tabs with simultaneous refreshes keep the session, even with single-use cookies`,
    async (t) => {
      const tabs = await openTabs(t, strict, count, {}, true);
      await logInAt(tabs[0]!, strict);
      await each(tabs, (tab) => becomes(tab, 'signed-in'));
      for (let round = 1; round <= 3; round++) {
        const before = strict.count('POST /refresh');
        strict.takeMaxConcurrent('POST /refresh');
        // The tabs of a context share its clock.
        await tabs[0]!.clock.runFor(841_000);
        await each(tabs, (tab) => becomes(tab, 'signed-in'));
        t.equal(strict.count('POST /refresh'), before + count);
        t.equal(strict.takeMaxConcurrent('POST /refresh'), 1);
      }
      t.same(
        await each(tabs, profile),
        tabs.map(() => profileOfDemo),
      );
      t.same(
        await each(tabs, (tab) => tab.evaluate(() => expired)),
        tabs.map(() => []),
      );
    },
  );

  t.test(`${count} tabs without locks keep the session too`, async (t) => {
    const tabs = await openTabs(t, site, count, { lockSeconds: 0 });
    await logInAt(tabs[0]!, site);
    await each(tabs, (tab) => tab.reload());
    t.same(
      await each(tabs, (tab) => tab.evaluate(() => session.resume())),
      tabs.map(() => true),
    );
    t.same(
      await each(tabs, profile),
      tabs.map(() => profileOfDemo),
    );
  });
}

t.test('a login and a logout in one tab reach the others', async (t) => {
  const tabs = await openTabs(t, site, 3);
  const [first, second] = tabs;
  t.same(await each(tabs, (tab) => tab.evaluate(() => session.resume())), [false, false, false]);
  await logInAt(first!, site);
  await each(tabs, (tab) => becomes(tab, 'signed-in'));
  t.same(
    await each(tabs, profile),
    tabs.map(() => profileOfDemo),
  );
  await second!.evaluate(() => session.logout());
  await each(tabs, (tab) => becomes(tab, 'signed-out'));
  t.same(await each(tabs, async (tab) => (await states(tab)).reason), [
    'logged_out',
    'logged_out',
    'logged_out',
  ]);
  t.same(await each(tabs, async (tab) => (await profile(tab)).status), [401, 401, 401]);
});

t.test('a tab closed during its refresh blocks no other tab', async (t) => {
  const [first, second] = await openTabs(t, site, 2, { lockSeconds: 60 });
  await logInAt(first!, site);
  await becomes(second!, 'signed-in');
  await first!.evaluate(() => {
    // Simulates a refresh that hangs: the session's lock is never released.
    void navigator.locks.request(`tollgate:${location.origin}/`, () => new Promise(() => {}));
  });
  await second!.reload();
  const resumed = second!.evaluate(() => session.resume());
  await second!.waitForFunction(async () => (await navigator.locks.query()).pending?.length === 1);
  await first!.close();
  t.equal(await resumed, true);
});

t.test('a page closed during its refresh loses a cookie, not the session', async (t) => {
  const [page] = await openTabs(t, site, 1);
  await logInAt(page!, site);
  await page!.reload();
  const release = site.delay('POST /refresh');
  const sent = page!.waitForRequest('**/refresh');
  await page!.evaluate(() => void session.resume().catch(() => {}));
  await sent;
  await page!.reload();
  release();
  t.equal(await page!.evaluate(() => session.resume()), true);
  t.same(await profile(page!), profileOfDemo);
});
