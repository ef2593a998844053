// Back/forward cache of Chromium: a page with a session enters it, and is up to date after its return.
import { type Browser, chromium, type Page } from 'playwright-core';
import t from 'tap';
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

t.setTimeout(300_000);

const bob = { email: 'bob@example.com', password: 'correct horse battery staple' };
const profileOfBob = { status: 200, body: { id: 2, email: bob.email } };

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await chromium.launch({
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
});
t.teardown(() => browser?.close());

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

t.test('a logged-in page restored from the cache checks its session', async (t) => {
  const page = await openSessionPage(t, site, browser);
  await logInAt(page, site);
  const { expiresAtMs } = await states(page);
  const before = site.count('POST /refresh');
  await leaveAndReturn(page);
  await isReplaced(page, expiresAtMs);
  t.equal(site.count('POST /refresh'), before + 1);
  t.same(await profile(page), profileOfDemo);
});

t.test('after a logout elsewhere, the restored page is logged out', async (t) => {
  const page = await openSessionPage(t, site, browser);
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
  const page = await openSessionPage(t, site, browser);
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
    const page = await openSessionPage(t, site, browser);
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
  const page = await openSessionPage(t, site, browser);
  await logInAt(page, site);
  const { expiresAtMs } = await states(page);
  await leaveAndReturn(page);
  await isReplaced(page, expiresAtMs);
  const tab = await openTab(page.context(), site);
  await tab.evaluate(() => session.logout());
  await becomes(page, 'signed-out');
  t.equal((await states(page)).reason, 'logged_out');
});
