// A floating box never stands in the way: it covers no control of its form and nothing that has the focus, and Escape closes it.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/deploy/test/chromium.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openPage } from '../support/browser.js';
import { policy, startFormSite } from './form-site.js';

const site = await startFormSite(t, { RATE_LIMIT_POW: '1000', RATE_LIMIT_CAPTCHA: '1000' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

const fields = ['Name', 'E-mail', 'Text']
  .map((name) => `<p><label>${name}<br><input name="${name}" style="width:100%;height:44px"></label></p>`)
  .join('');
const form = `<form method="post" action="/image">${fields}
  <tollgate-challenge display="floating"></tollgate-challenge>
  <button id="send" style="height:44px">Send</button>
</form>`;

interface Place {
  readonly width: number;
  readonly height: number;
  /** Pixels that an on-screen keyboard leaves. */
  readonly visible?: number;
  readonly dir?: 'rtl';
}

/** Opens the form with the image that a refusal requires. */
async function open(t: Test, { width, height, visible, dir }: Place, body = form): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank', { viewport: { width, height } });
  const options = { policy: `${policy}; style-src 'unsafe-inline'` };
  await page.goto(site.page(body, dir ? { ...options, root: 'lang="ar" dir="rtl"' } : options));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await page.evaluate(() =>
    document
      .querySelector('tollgate-challenge')
      ?.settle({ captcha_required: true, captcha_alternatives: ['effort'], code: 'login_failed' }),
  );
  await page.waitForSelector('#answer');
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  if (visible !== undefined) {
    await page.focus('#answer');
    await showKeyboard(page, visible);
  }
  return page;
}

/** No browser of a test has an on-screen keyboard: this is what the page sees of one. */
async function showKeyboard(page: Page, visible: number): Promise<void> {
  await page.evaluate((height) => {
    Object.defineProperty(visualViewport, 'height', { value: height, configurable: true });
    visualViewport?.dispatchEvent(new Event('resize'));
  }, visible);
}

const isFloating = (page: Page) =>
  page.$eval('tollgate-challenge', ({ shadowRoot }) => shadowRoot!.querySelector('[data-floats]') !== null);

/** The controls that the box covers. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const box = document
      .querySelector('tollgate-challenge')!
      .shadowRoot!.querySelector('.box')!
      .getBoundingClientRect();
    return [...document.querySelectorAll('input, button, a')]
      .filter((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
      })
      .map(({ id, textContent }) => id || textContent);
  });

const places: [string, Place, boolean][] = [
  ['a phone', { width: 360, height: 640 }, false],
  ['a small phone', { width: 320, height: 480 }, false],
  ['a phone on its side', { width: 640, height: 360 }, false],
  ['a phone with its keyboard', { width: 360, height: 760, visible: 400 }, false],
  ['a phone from right to left', { width: 360, height: 640, dir: 'rtl' }, false],
  ['a window', { width: 1280, height: 800 }, true],
  ['a window from right to left', { width: 1280, height: 800, dir: 'rtl' }, true],
];

for (const [name, place, floats] of places) {
  t.test(`the form can be finished with its box: ${name}`, async (t) => {
    const page = await open(t, place);
    t.equal(await isFloating(page), floats);
    t.same(await covered(page), []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    t.equal(overflow, 0);
    // Playwright clicks only what nothing covers.
    for (const field of ['Name', 'E-mail', 'Text']) await page.click(`[name=${field}]`, { timeout: 5000 });
    await page.click('#answer');
    await page.keyboard.press('Tab');
    await page.click('#send');
    const invalid = await page.evaluate(() => document.activeElement?.localName);
    t.equal(invalid, 'tollgate-challenge', 'the browser points to the field without an answer');
  });
}

t.test(
  'an on-screen keyboard that takes the room puts the box into the flow, with its field on the screen',
  async (t) => {
    const page = await open(t, { width: 420, height: 900 });
    t.equal(await isFloating(page), true);
    await page.focus('#answer');
    await showKeyboard(page, 480);
    t.equal(await isFloating(page), false);
    t.same(await covered(page), []);
    const focused = await page.evaluate(() => document.activeElement?.localName);
    t.equal(focused, 'tollgate-challenge', 'which keeps the focus');
  },
);

t.test('what has the focus is not covered: the box makes room for a link beneath it', async (t) => {
  const links = '<p><a href="#a">Forgotten</a></p><p><a href="#b">Another way</a></p>';
  const page = await open(t, { width: 1280, height: 900 }, form + links);
  t.equal(await isFloating(page), true);
  t.same(await covered(page), ['Forgotten', 'Another way']);
  await page.focus('a');
  t.equal(await isFloating(page), false);
  t.same(await covered(page), []);
});

for (const from of ['#answer', '[name=Text]']) {
  t.test(`Escape in ${from} closes the box; sending the form opens it again, at its field`, async (t) => {
    const page = await open(t, { width: 1280, height: 800 });
    await page.focus(from);
    await page.keyboard.press('Escape');
    t.equal(await page.isVisible('.box'), false);
    const focused = await page.evaluate(
      () => document.activeElement?.id || document.activeElement?.getAttribute('name'),
    );
    t.equal(focused, from === '#answer' ? 'send' : 'Text');
    await page.focus('#send');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.box');
    t.equal(await page.isVisible('#answer'), true);
    t.equal(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.id), 'answer');
    await page.keyboard.press('Escape');
    t.equal(await page.isVisible('.box'), false);
    await page.evaluate(() =>
      document
        .querySelector('tollgate-challenge')
        ?.settle({ captcha_required: true, errors: { captcha: ['Wrong.'] }, code: 'captcha_invalid' }),
    );
    await page.waitForSelector('.box');
  });
}
