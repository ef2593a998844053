// Several tabs of one Chromium, with the real services: the session survives all concurrent actions, the last login wins,
// and a page that returns from the back/forward cache is up to date.

import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { SessionStatus } from '../../src/session/session-state.js';
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

const bob = { email: 'bob@example.com', password: 'correct horse battery staple' };
const profileOfBob = { status: 200, body: { id: 2, email: bob.email } };

let site: SessionSite;
let strict: SessionSite;
let browser: Browser;
/** Has a back/forward cache. */
let keeping: Browser;

t.before(async () => {
  browser = await launchBrowser();
  keeping = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
    ],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  site = await startSessionSite(t, {}, [bob]);
  strict = await startSessionSite(t, { REFRESH_WINDOW: '0' });
});
t.teardown(() => Promise.all([browser?.close(), keeping?.close()]));

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

/** Returns all reported statuses of the page. */
interface Seen {
  readonly seen: SessionStatus[];
}

/** Leaves the page, runs an action, and returns; resolves when the same page is visible again. */
async function leaveAndReturn(page: Page, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  await page.evaluate(() => {
    Object.assign(globalThis, { shown: [] });
    addEventListener('pageshow', ({ persisted }) => {
      (globalThis as unknown as { shown: boolean[] }).shown.push(persisted);
    });
  });
  await page.goto(`${site.address}/other`);
  await meanwhile();
  // The call never returns, because the page is in the cache.
  page.evaluate(() => history.back()).catch(() => {});
  await page.waitForFunction(() => (globalThis as unknown as { shown?: boolean[] }).shown?.length === 1);
  t.same(
    await page.evaluate(() => (globalThis as unknown as { shown: boolean[] }).shown),
    [true],
    'from the cache',
  );
}

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

t.test('a logged-in page restored from the cache checks its session', async (t) => {
  const page = await openSessionPage(t, site, keeping);
  await logInAt(page, site);
  const { expiresAtMs } = await states(page);
  const before = site.count('POST /refresh');
  await leaveAndReturn(page);
  await isReplaced(page, expiresAtMs);
  t.equal(site.count('POST /refresh'), before + 1);
  t.same(await profile(page), profileOfDemo);
});

t.test('after a logout elsewhere, the restored page is logged out', async (t) => {
  const page = await openSessionPage(t, site, keeping);
  await logInAt(page, site);
  await leaveAndReturn(page, async () => {
    const tab = await openTab(page.context(), site);
    await tab.evaluate(async () => {
      await session.resume();
      await session.logout();
    });
    await tab.close();
  });
  await becomes(page, 'signed-out');
  t.same(await page.evaluate(() => expired), ['token_invalid']);
  t.equal((await profile(page)).status, 401);
});

t.test('after a login elsewhere, the restored page is logged in', async (t) => {
  const page = await openSessionPage(t, site, keeping);
  t.equal(await page.evaluate(() => session.resume()), false);
  await leaveAndReturn(page, async () => {
    const tab = await openTab(page.context(), site);
    await logInAt(tab, site);
    await tab.close();
  });
  await becomes(page, 'signed-in');
});

t.test(
  'after another user’s login elsewhere, the restored page reports unknown before it has their token',
  async (t) => {
    const page = await openSessionPage(t, site, keeping);
    await logInAt(page, site);
    await page.evaluate(() => {
      Object.assign(globalThis, { seen: [] });
      session.subscribe(() => (globalThis as unknown as Seen).seen.push(session.state.status));
    });
    await leaveAndReturn(page, async () => {
      const tab = await openTab(page.context(), site);
      t.equal(await logInAt(tab, site, bob), 200);
      await tab.close();
    });
    await page.waitForFunction(() => (globalThis as unknown as Seen).seen.at(-1) === 'signed-in');
    t.same(await page.evaluate(() => (globalThis as unknown as Seen).seen), ['unknown', 'signed-in']);
    t.same(await profile(page), profileOfBob);
    t.same(await page.evaluate(() => expired), []);
  },
);

t.test('a restored page receives messages from other tabs again', async (t) => {
  const page = await openSessionPage(t, site, keeping);
  await logInAt(page, site);
  const { expiresAtMs } = await states(page);
  await leaveAndReturn(page);
  await isReplaced(page, expiresAtMs);
  const tab = await openTab(page.context(), site);
  await tab.evaluate(() => session.logout());
  await becomes(page, 'signed-out');
  t.equal((await states(page)).reason, 'logged_out');
});
