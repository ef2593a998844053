// Visitors of a page that a server renders for its users, the same for every framework.

import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { HostedSystem } from '@tollgate/tests/examples/hosts.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { Gateway } from './gateway.js';

/** Variables of session-service for these visits. */
export const pageVariables = {
  PAGE_COOKIE: 'true',
  PAGE_LOGIN_URL: '/sign-in',
  RATE_LIMIT_REFRESH: '1000',
  // Parallel on a busy machine, too.
  REFRESH_WINDOW: '600',
};

interface OrdersVisited {
  readonly browser: Browser;
  readonly gateway: Gateway;
  readonly system: HostedSystem;
}

const loginPage = `<!doctype html>
<title>Sign in</title>
<form>
  <label>E-mail <input name="email"></label>
  <label>Password <input name="password" type="password"></label>
  <tollgate-challenge></tollgate-challenge>
  <button>Sign in</button>
</form>
<script type="module">
import { createSession } from '/api/captcha/tollgate.js';
const session = createSession();
const form = document.querySelector('form');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { ok } = await session.login(Object.fromEntries(new FormData(form)));
  if (ok) location.replace(new URLSearchParams(location.search).get('to'));
});
</script>`;

/** The browser itself drops the page cookie when its token expires. */
const expire = (context: BrowserContext) => context.clearCookies({ name: 'page' });

/** Visits the page `/orders` of an application: logged out, logged in, and with an expired token. */
export async function visitOrders(t: Test, { browser, gateway, system }: OrdersVisited): Promise<void> {
  const { email = '', password = '' } = system.demo ?? {};
  const title = `Orders of ${email}`;
  const heading = (page: Page) => page.locator('h1').textContent();

  async function openShop(t: Test): Promise<Page> {
    const page = await openPage(t, browser, 'about:blank');
    await page.route('**/sign-in?**', (route) =>
      route.fulfill({ contentType: 'text/html', body: loginPage }),
    );
    return page;
  }

  /** Opens the orders in a fresh browser, and logs in on the way. */
  async function openOrders(t: Test): Promise<Page> {
    const page = await openShop(t);
    await page.goto(`${gateway.address}/orders`);
    await page.waitForURL('**/sign-in?to=%2Forders');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/orders');
    return page;
  }

  /** Counts the refreshes during some work, by outcome. */
  async function refreshesDuring(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
    const before = await countRefreshes(system);
    await work();
    const after = await countRefreshes(system);
    const grown = Object.entries(after).map(([outcome, count]) => [outcome, count - (before[outcome] ?? 0)]);
    return Object.fromEntries(grown.filter(([, count]) => count !== 0));
  }

  await t.test('a visitor is led to the login page, and from there to the page', async (t) => {
    const page = await openOrders(t);
    t.equal(await heading(page), title);
    const again = await page.reload();
    t.equal(await heading(page), title);
    t.match(again?.headers()['cache-control'], 'no-store');
  });

  await t.test('a reload with an expired token refreshes once', async (t) => {
    const page = await openOrders(t);
    await expire(page.context());
    const outcomes = await refreshesDuring(async () => {
      await page.reload();
      await page.waitForURL('**/orders');
      t.equal(await heading(page), title);
    });
    t.match(outcomes, { rotated: 1 });
  });

  await t.test(
    '200 parallel page loads with an expired token rotate once, and nobody is logged out',
    async (t) => {
      const page = await openShop(t);
      const context = page.context();
      // Not bound to a key of the browser, so that its cookies suffice.
      const login = await context.request.post(`${gateway.address}/login`, {
        data: { email, password, ...(await system.work()) },
      });
      t.equal(login.status(), 200);
      await expire(context);
      const cookies = await context.cookies(`${gateway.address}/refresh`);
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const send = (method: string, path: string, cookie: string) =>
        fetch(gateway.address + path, { method, headers: { cookie }, redirect: 'manual' });
      const loads = Array.from({ length: 200 }, () => cookie);

      const redirects = await Promise.all(loads.map((cookie) => send('GET', '/orders', cookie)));
      const places = redirects.map(({ headers }) => headers.get('location'));
      t.strictSame([...new Set(places)], [`${gateway.address}/refresh/continue?to=%2Forders`]);
      let refreshed: readonly string[] = [];
      const outcomes = await refreshesDuring(async () => {
        const responses = await Promise.all(loads.map((cookie) => send('POST', '/refresh', cookie)));
        refreshed = responses.map(({ headers }) =>
          headers
            .getSetCookie()
            .map((line) => line.split(';')[0])
            .join('; '),
        );
      });
      t.strictSame(outcomes, { rotated: 1, current: loads.length - 1 });
      const greeted = new Set<boolean>();
      // One by one, because a page waits only seconds for session-service.
      for (const cookie of refreshed) {
        const response = await send('GET', '/orders', cookie);
        greeted.add((await response.text()).includes(email));
      }
      t.strictSame([...greeted], [true]);

      // The browser still has the cookie that the others have used.
      await page.goto(`${gateway.address}/orders`);
      await page.waitForURL('**/orders');
      t.equal(await heading(page), title);
    },
  );
}

/** Returns the refreshes of session-service so far, by outcome. */
async function countRefreshes({ ports }: HostedSystem): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`http://127.0.0.1:${ports.sessionAdmin}/metrics`);
  const lines = (await response.text()).matchAll(/^tollgate_refreshes_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]));
}
