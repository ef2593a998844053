// Error messages of the element, its automatic recovery, and its events.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { imageForm as form, ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page, Route } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t, { RATE_LIMIT_POW: '1000', CAPTCHA_EFFORT_BITS: '8' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

/** Opens a form while requests for work fail in this way. */
async function openFailing(t: Test, fail: (route: Route) => Promise<void>): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.route('**/api/captcha/pow*', fail);
  await page.goto(site.page(form()));
  await page.waitForSelector('.box[data-status=error]');
  return page;
}

const word = (page: Page) => page.textContent('#word');
const goOn = (page: Page) => page.unroute('**/api/captcha/pow*');

t.test('no response: it reports it and retries automatically', async (t) => {
  const page = await openFailing(t, (route) => route.abort());
  t.equal(await word(page), 'The security check is not responding. It will try again automatically.');
  await page.clock.fastForward(3_000);
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'error');
  await goOn(page);
  await page.clock.fastForward(60_000);
  await page.waitForSelector(ready);
});

t.test('offline: it reports it and continues when the device is online', async (t) => {
  const page = await openFailing(t, (route) => route.abort());
  await page.context().setOffline(true);
  await page.click('.retry');
  await page.waitForSelector('text=You are offline.');
  await goOn(page);
  await page.context().setOffline(false);
  await page.waitForSelector(ready);
});

t.test('with an unavailable service it shows the time of the next try', async (t) => {
  const page = await openFailing(t, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '7' },
      json: { message: 'Not now.', code: 'store_unavailable' },
    }),
  );
  t.equal(
    await word(page),
    'The security check is not available at the moment. Next try in 7 seconds.',
    'and not that there were too many requests',
  );
  await goOn(page);
  await page.clock.fastForward(8_000);
  await page.clock.fastForward(4_000);
  await page.waitForSelector(ready);
});

t.test('the image: possible characters, look-alikes, and a rejected answer', async (t) => {
  const page = await openPage(t, browser, site.page(form('image="always" start="load"')));
  await page.waitForSelector('#answer');
  await page.waitForSelector('text=Possible characters: 2 3 C D H P T X');
  await page.fill('#answer', 'zG8x');
  t.equal(await page.inputValue('#answer'), '2C3x');
  await page.evaluate(() =>
    document
      .querySelector('tollgate-challenge')
      ?.settle({ code: 'captcha_invalid', captcha_required: true, captcha_alternatives: ['effort'] }),
  );
  await page.waitForSelector('#answer[aria-invalid=true]');
  const text = 'That answer was not accepted. Please type the characters in this new image.';
  t.equal(await page.textContent('#hint'), text);
  await page.fill('#answer', 'x');
  t.equal(await page.getAttribute('#answer', 'aria-invalid'), null);
  t.equal(await page.textContent('#hint'), '');
});

t.test('pages receive an event for each step', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  await page.addInitScript(() => {
    const told: unknown[] = [];
    Object.assign(globalThis, { told });
    for (const name of ['ready', 'progress', 'error', 'verified']) {
      addEventListener(`tollgate-${name}`, (event) =>
        told.push([name, (event as CustomEvent<{ code?: string } | null>).detail?.code]),
      );
    }
  });
  await page.clock.install();
  let failures = 1;
  await page.route('**/api/captcha/pow*', (route) => (failures-- > 0 ? route.abort() : route.continue()));
  await page.goto(site.page(form()));
  await page.waitForSelector('.box[data-status=error]');
  await page.clock.fastForward(5_000);
  await page.waitForSelector(ready);
  const told = (await page.evaluate('told')) as [string, string | undefined][];
  t.same(told[0], ['ready', undefined]);
  t.same(
    told.find(([name]) => name === 'error'),
    ['error', 'no_answer'],
  );
  t.same(told.at(-1), ['verified', undefined]);
  t.equal(told.filter(([name]) => name === 'ready').length, 1);
});

t.test('single texts can be replaced, by an attribute and by a property', async (t) => {
  const own = JSON.stringify({ title: 'Are you a person?' }).replaceAll('"', '&quot;');
  const page = await openPage(t, browser, site.page(form(`texts="${own}"`)));
  await page.waitForSelector(ready);
  t.equal(await page.textContent('#title'), 'Are you a person?');
  t.equal(await word(page), 'Done.');
  await page.evaluate(() => {
    document.querySelector('tollgate-challenge')!.texts = { ready: 'All right.' };
  });
  t.equal(await word(page), 'All right.');
  t.equal(await page.textContent('#title'), 'Security check');
});
