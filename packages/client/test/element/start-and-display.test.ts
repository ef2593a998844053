// Start and display of the element, and one submission per button press.
import type {} from '@tollgate/client/element';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t, { RATE_LIMIT_POW: '1000' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.requested.length = 0;
  site.delivered.length = 0;
});

const form = (attributes: string, action = '/contact') => `<form method="post" action="${action}">
  <label>Text <input name="text" value="hello"></label>
  <tollgate-challenge ${attributes}></tollgate-challenge>
  <button id="send">Send</button>
</form>`;

async function open(t: Test, body: string): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.goto(site.page(body));
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  return page;
}

const isVisible = (page: Page) => page.isVisible('.box');

t.test('a permanently required image is fetched at the first focus in the form', async (t) => {
  const page = await open(t, form('image="always"', '/image'));
  await page.hover('#send');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  t.same(site.requested, [], 'a passing pointer is no focus');
  await page.focus('[name=text]');
  await page.waitForSelector(ready);
  t.same(site.requested.slice(0, 2), ['', '/pow']);
});

t.test('start="submit": nothing is fetched before a press, which sends the form', async (t) => {
  const page = await open(t, form('start="submit"'));
  await page.focus('[name=text]');
  t.same(site.requested, []);
  await page.click('#send');
  await page.waitForSelector('text=Delivered.');
  t.same(site.requested, ['/pow']);
});

t.test('after the work has expired during a pause, one press sends the form', async (t) => {
  const page = await open(t, form(''));
  await page.waitForSelector(ready);
  await page.clock.fastForward(300_000);
  await page.waitForSelector('.box[data-status=idle]');
  await page.click('#send');
  await page.waitForSelector('text=Delivered.');
  t.equal(site.delivered.length, 1);
});

t.test('three presses while a script still sends the form send it once', async (t) => {
  const page = await open(t, form(''));
  await page.waitForSelector(ready);
  await page.evaluate(() => {
    const sent = { count: 0, answer: () => {} };
    Object.assign(globalThis, { sent });
    document.querySelector('form')?.addEventListener('submit', (event) => {
      event.preventDefault();
      void document.querySelector('tollgate-challenge')?.controller?.submit(() => {
        sent.count += 1;
        return new Promise((resolve) => {
          sent.answer = () => resolve(new Response('{}'));
        });
      });
    });
  });
  for (const _ of [1, 2, 3]) {
    await page.click('#send');
    // Longer than the period in which taken fields block the next ones.
    await page.clock.fastForward(11_000);
    await page.hover('[name=text]');
  }
  t.equal(await page.evaluate('sent.count'), 1);
  await page.evaluate('sent.answer()');
  await page.waitForSelector(ready);
  await page.click('#send');
  await page.waitForFunction('sent.count === 2');
});

t.test('a second element in a form is reported once', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  await page.goto(site.page(form('').replace('<button', '<tollgate-challenge></tollgate-challenge><button')));
  await page.waitForSelector(ready);
  await until(() => warnings.length > 0, 'the console reports it');
  await page.waitForTimeout(500);
  t.equal(warnings.length, 1);
  t.match(warnings[0], /2 <tollgate-challenge> elements; use one/);
});

for (const display of ['floating', 'invisible']) {
  t.test(
    `display="${display}": it takes no room, and shows itself when it concerns the person`,
    async (t) => {
      const page = await open(t, form(`display="${display}"`));
      const status = () => page.$eval('tollgate-challenge', (element) => element.status);
      await until(async () => (await status()) === 'ready', 'the work');
      t.equal(await isVisible(page), false);
      t.equal(await page.$eval('tollgate-challenge', (element) => element.offsetHeight), 0);
      t.equal(await page.isEnabled('#send'), true);
      await page.evaluate(() =>
        document
          .querySelector('tollgate-challenge')
          ?.settle({ captcha_required: true, code: 'login_failed' }),
      );
      await page.waitForSelector('#answer');
      const { position, box, button } = await page.evaluate(() => {
        const rect = (node: Element) => node.getBoundingClientRect().toJSON() as DOMRect;
        const root = document.querySelector('tollgate-challenge')!.shadowRoot!;
        const shown = root.querySelector('.box')!;
        const { position } = getComputedStyle(shown);
        return { position, box: rect(shown), button: rect(document.querySelector('#send')!) };
      });
      t.ok(box.left >= 0 && box.right <= 1280 && box.top >= 0 && box.bottom <= 720, 'within the window');
      const isBeside = Math.abs(box.top - button.bottom) < 20 || Math.abs(button.top - box.bottom) < 20;
      t.equal(position, display === 'floating' ? 'fixed' : 'relative');
      if (display === 'floating') t.ok(isBeside && box.left === button.left, 'beside the button');
    },
  );
}

t.test('a form sent before the work is done reports it, and is sent automatically', async (t) => {
  const page = await open(t, '<p>Not yet</p>');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/captcha/pow*', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(site.page(form('display="floating"')));
  await page.click('#send');
  await page.waitForSelector('.box[data-floats]', { state: 'attached' });
  t.equal(
    await page.textContent('[role=status]'),
    'The form will be sent as soon as the security check is done.',
  );
  t.equal(site.delivered.length, 0);
  release();
  await page.waitForSelector('text=Delivered.');
});
