// What the element shows, from its start to its errors, and where the focus is.
import type {} from '@tollgate/client/element';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { asModules, imageForm, policy, ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page, Route } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t, {
  RATE_LIMIT_POW: '1000',
  RATE_LIMIT_CAPTCHA: '1000',
  CAPTCHA_EFFORT_BITS: '8',
});
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

/** Opens a form while requests for work fail in this way. */
async function openFailing(t: Test, fail: (route: Route) => Promise<void>): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.route('**/api/captcha/pow*', fail);
  await page.goto(site.page(imageForm()));
  await page.waitForSelector('.box[data-status=error]');
  return page;
}

const word = (page: Page) => page.textContent('#word');
const goOn = (page: Page) => page.unroute('**/api/captcha/pow*');

const labelledForm = (
  attributes = '',
  formAttributes = '',
) => `<form method="post" action="/image" ${formAttributes}>
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
  const page = await openPage(t, browser, site.page(imageForm('image="always" start="load"')));
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
  await page.goto(site.page(imageForm()));
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
  const page = await openPage(t, browser, site.page(imageForm(`texts="${own}"`)));
  await page.waitForSelector(ready);
  t.equal(await page.textContent('#title'), 'Are you a person?');
  t.equal(await word(page), 'Done.');
  await page.evaluate(() => {
    document.querySelector('tollgate-challenge')!.texts = { ready: 'All right.' };
  });
  t.equal(await word(page), 'All right.');
  t.equal(await page.textContent('#title'), 'Security check');
});

for (const [name, focus] of Object.entries(ways)) {
  t.test(`focused before the image can be displayed, by ${name}: the field gets the focus`, async (t) => {
    const { page, release } = await openHeld(t, labelledForm());
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
  const { page, release } = await openHeld(t, labelledForm());
  await focusElement(page);
  await page.focus('[name=text]');
  await release();
  t.equal(await focused(page), 'text');
});

t.test('an image that is no longer required takes no focus', async (t) => {
  const { page, release } = await openHeld(t, labelledForm());
  await focusElement(page);
  await page.evaluate(() => document.querySelector('tollgate-challenge')?.settle(null));
  await release();
  t.equal(await page.isVisible('#answer'), false);
  t.equal(await focused(page), 'status');
});

t.test('a floating box without a position keeps the focus too', async (t) => {
  const { page, release } = await openHeld(
    t,
    labelledForm('display="floating"'),
    /\/(captcha-view|placement)\.js/,
  );
  await focusElement(page);
  t.equal(await focused(page), 'status');
  await release();
  await page.waitForSelector('[data-placed] #answer');
  t.equal(await focused(page), 'answer');
});

t.test('focused during the image fetch, the element focuses the field when it appears', async (t) => {
  const page = await openPage(t, browser, site.page(labelledForm()));
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
  const page = await openPage(t, browser, site.page(labelledForm()));
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
    await page.goto(site.page(labelledForm('display="floating"', 'novalidate')));
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
