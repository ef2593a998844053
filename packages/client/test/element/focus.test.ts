// Focus given to the element by a page, a label or the browser, also before its parts have loaded.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { asModules, policy, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t, { RATE_LIMIT_POW: '1000', RATE_LIMIT_CAPTCHA: '1000' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

const form = (attributes = '', formAttributes = '') => `<form method="post" action="/image" ${formAttributes}>
  <label>Text <input name="text" value="hello"></label>
  <label id="label" for="guard">Security check</label>
  <tollgate-challenge id="guard" ${attributes}></tollgate-challenge>
  <button id="send">Send</button>
</form>`;

interface HeldPage {
  readonly page: Page;
  /** Lets the page load the image module, and waits for the field. */
  release(): Promise<void>;
}

/** Opens a form without the image module, and requires an image. */
async function openHeld(t: Test, body: string, held = /\/captcha-view\.js/): Promise<HeldPage> {
  const page = await openPage(t, browser, 'about:blank');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(held, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(site.page(body, { head: asModules, policy: `${policy}; style-src 'unsafe-inline'` }));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await requireImage(page);
  return {
    page,
    async release() {
      release();
      await page.waitForSelector('#answer', { state: 'attached' });
    },
  };
}

async function requireImage(page: Page): Promise<void> {
  await page.evaluate(() =>
    document.querySelector('tollgate-challenge')?.settle({ captcha_required: true, code: 'login_failed' }),
  );
  await page.waitForFunction(
    () => document.querySelector('tollgate-challenge')?.controller?.state.captcha?.kind === 'image',
  );
}

const focusElement = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLElement>('tollgate-challenge')?.focus());

/** Returns the focused part of the element, or the focused element of the page. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const outer = document.activeElement;
    const inner = outer?.shadowRoot?.activeElement ?? outer;
    return inner?.id || inner?.getAttribute('part') || inner?.getAttribute('name') || inner?.localName;
  });

const ways: Record<string, (page: Page) => Promise<void>> = {
  'a script': focusElement,
  'its label': (page) => page.click('#label'),
  'the browser, because the form is invalid': (page) => page.click('#send'),
  'a call of reportValidity': (page) =>
    page.evaluate(() => void document.querySelector('form')?.reportValidity()),
};

for (const [name, focus] of Object.entries(ways)) {
  t.test(`focused before the image can be displayed, by ${name}: the field gets the focus`, async (t) => {
    const { page, release } = await openHeld(t, form());
    await page.focus('[name=text]');
    await focus(page);
    t.equal(await focused(page), 'status', 'kept in the element');
    await release();
    t.equal(await focused(page), 'answer');
    await page.keyboard.type('abc');
    t.equal((await page.inputValue('#answer')).length, 3);
  });
}

t.test('the focus stays on another field that the person has chosen', async (t) => {
  const { page, release } = await openHeld(t, form());
  await focusElement(page);
  await page.focus('[name=text]');
  await release();
  t.equal(await focused(page), 'text');
});

t.test('an image that is no longer required takes no focus', async (t) => {
  const { page, release } = await openHeld(t, form());
  await focusElement(page);
  await page.evaluate(() => document.querySelector('tollgate-challenge')?.settle(null));
  await release();
  t.equal(await page.isVisible('#answer'), false);
  t.equal(await focused(page), 'status');
});

t.test('a floating box without a position keeps the focus too', async (t) => {
  const { page, release } = await openHeld(t, form('display="floating"'), /\/(captcha-view|placement)\.js/);
  await focusElement(page);
  t.equal(await focused(page), 'status');
  await release();
  await page.waitForSelector('[data-placed] #answer');
  t.equal(await focused(page), 'answer');
});

t.test('focused during the image fetch, the element focuses the field when it appears', async (t) => {
  const page = await openPage(t, browser, site.page(form()));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  for (const time of ['first', 'second']) {
    await page.evaluate(async () => {
      const element = document.querySelector('tollgate-challenge')!;
      await element.settle(null);
      void element.settle({ captcha_required: true, code: 'login_failed' });
      element.focus();
    });
    await page.waitForSelector('#answer');
    await page.waitForFunction(
      () => document.querySelector('tollgate-challenge')?.shadowRoot?.activeElement?.id === 'answer',
    );
    t.pass(`the ${time} time`);
  }
});

t.test('without an image to answer, the focus is on the status', async (t) => {
  const page = await openPage(t, browser, site.page(form()));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await focusElement(page);
  t.equal(await focused(page), 'status');
  await page.route('**/api/captcha', (route) => route.abort());
  await page.route('**/api/captcha?*', (route) => route.abort());
  await page.evaluate(() =>
    document.querySelector('tollgate-challenge')?.settle({ captcha_required: true, code: 'login_failed' }),
  );
  await page.waitForSelector('.retry');
  for (const way of ['a script', 'the browser, because the form is invalid']) {
    await page.focus('[name=text]');
    await ways[way]?.(page);
    t.equal(await focused(page), 'status', way);
    await page.keyboard.press('Tab');
    t.equal(await focused(page), 'button retry');
  }
});

for (const name of ['a script', 'its label']) {
  t.test(`a box closed with Escape reopens for the focus: ${name}`, async (t) => {
    const page = await openPage(t, browser, 'about:blank');
    await page.goto(site.page(form('display="floating"', 'novalidate')));
    await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
    await requireImage(page);
    await page.waitForSelector('#answer');
    await page.focus('[name=text]');
    await page.keyboard.press('Escape');
    t.equal(await page.isVisible('#answer'), false);
    await ways[name]?.(page);
    t.equal(await focused(page), 'answer');
    t.equal(await page.isVisible('#answer'), true);
  });
}
