// A rendered application in Chromium: its pages survive an expired cookie, many tabs, logout and a bound session.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type RenderedSite, startRenderedSite } from './rendered-site.js';

declare global {
  var session: { logout(): Promise<void> };
  var signIn: (fields: object) => Promise<number>;
}

let site: RenderedSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startRenderedSite(t);
});
t.teardown(() => browser?.close());
t.afterEach(() => site.restore());

const heading = (page: Page) => page.locator('h1').textContent();
const titleOf = (email: string) => `Orders of ${email}`;

/** What the browser does itself when the lifetime of the cookie is over. */
const expire = (context: BrowserContext) => context.clearCookies({ name: 'page' });

/** Opens the orders in a fresh browser, and logs in on the way. */
async function openOrders(t: Test): Promise<Page> {
  const page = await openPage(t, browser, `${site.address}/orders?from=mail`);
  await page.waitForURL('**/sign-in?to=%2Forders%3Ffrom%3Dmail');
  await logIn(page);
  await page.waitForURL('**/orders?from=mail');
  return page;
}

async function logIn(page: Page): Promise<void> {
  await page.waitForFunction(() => 'signIn' in globalThis);
  await page.evaluate((fields) => void signIn(fields), site.account);
}

t.test('a visitor is led to the login page and back, and a reload after expiry refreshes once', async (t) => {
  const page = await openOrders(t);
  t.equal(await heading(page), titleOf(site.account.email));
  const before = site.count('POST /refresh');
  await page.reload();
  t.equal(await heading(page), titleOf(site.account.email));
  t.equal(site.count('POST /refresh'), before, 'a valid cookie needs no refresh');

  await expire(page.context());
  const entries = await page.evaluate(() => history.length);
  await page.reload();
  await page.waitForURL('**/orders?from=mail');
  t.equal(await heading(page), titleOf(site.account.email));
  t.equal(site.count('POST /refresh'), before + 1);
  t.equal(await page.evaluate(() => history.length), entries, 'Back skips the page in between');

  await expire(page.context());
  await page.reload();
  await page.waitForURL('**/refresh/continue?**');
  await page.getByText('Something went wrong').waitFor();
  t.pass('a second expiry within a minute looks like a cookie that pages do not see');
});

t.test('a link of another site opens the page, although the refresh cookie is SameSite=Strict', async (t) => {
  const page = await openOrders(t);
  await expire(page.context());
  await page.route('http://127.0.0.1:*/elsewhere', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<a href="${site.address}/orders?from=link">go</a>` }),
  );
  await page.goto('http://127.0.0.1:1/elsewhere'.replace(':1/', ':8/'));
  await page.click('a');
  await page.waitForURL('**/orders?from=link');
  t.equal(await heading(page), titleOf(site.account.email));
});

t.test('many tabs with an expired cookie refresh once, and none is signed out', async (t) => {
  const page = await openOrders(t);
  const context = page.context();
  await expire(context);
  const before = site.count('POST /refresh');
  const tabs = await Promise.all(Array.from({ length: 12 }, () => context.newPage()));
  await Promise.all(
    tabs.map(async (tab, at) => {
      await tab.goto(`${site.address}/orders?tab=${at}`);
      await tab.waitForURL(`**/orders?tab=${at}`);
      t.equal(await heading(tab), titleOf(site.account.email));
    }),
  );
  t.equal(site.count('POST /refresh'), before + 1);
});

t.test('after a logout neither Back nor another tab shows the page', async (t) => {
  const page = await openOrders(t);
  const other = await page.context().newPage();
  await other.goto(`${site.address}/orders`);
  await page.goto(`${site.address}/sign-in`);
  await page.waitForFunction(() => 'session' in globalThis);
  await page.evaluate(() => session.logout());
  t.strictSame(
    (await page.context().cookies()).filter(({ name }) => name === 'page'),
    [],
  );
  await page.goBack();
  await page.waitForURL('**/sign-in?to=%2Forders%3Ffrom%3Dmail');
  await other.reload();
  await other.waitForURL('**/sign-in?to=%2Forders');
  t.pass('both are at the login page');
});

t.test('a page that never sees its user is opened again once, not forever', async (t) => {
  const page = await openOrders(t);
  await page.goto(`${site.address}/deaf`);
  await page.getByText('Something went wrong').waitFor();
  t.match(page.url(), '/refresh/continue?to=%2Fdeaf');
  t.equal(site.count('GET /deaf'), 2);
  t.match(await page.locator('#login a').getAttribute('href'), '/sign-in?to=%2Fdeaf');
});

t.test('while the service is away the page says so, and goes on when it is back', async (t) => {
  const page = await openOrders(t);
  await expire(page.context());
  site.fail('POST /refresh');
  await page.goto(`${site.address}/orders?from=outage`);
  await page.getByText('temporarily unavailable').waitFor();
  site.restore();
  await page.waitForURL('**/orders?from=outage');
  t.equal(await heading(page), titleOf(site.account.email));
});

t.test('a session that is bound to a key of the browser is proven', async (t) => {
  const page = await openOrders(t);
  await expire(page.context());
  const [cookie] = (await page.context().cookies(`${site.address}/refresh`)).filter(
    ({ name }) => name === 'refreshToken',
  );
  const stolen = await fetch(`${site.address}/refresh`, {
    method: 'POST',
    headers: { cookie: `refreshToken=${cookie?.value}` },
  });
  t.match(await stolen.json(), { code: 'binding_required' }, 'the session is bound');
  await page.goto(`${site.address}/orders?from=bound`);
  await page.waitForURL('**/orders?from=bound');
  t.equal(await heading(page), titleOf(site.account.email));
});

t.test('without JavaScript the visitor logs in again', async (t) => {
  const page = await openPage(t, browser, `${site.address}/orders`, { javaScriptEnabled: false });
  await page.waitForURL('**/sign-in?to=%2Forders');
  t.pass('the login page');
});
