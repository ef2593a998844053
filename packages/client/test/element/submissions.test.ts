// Control of form submissions by the element: validity, buttons, early submissions.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const form = (attributes = '', rest = '') => `<form method="post" action="/contact" id="form">
  <input name="text" value="words">
  <tollgate-challenge ${attributes}></tollgate-challenge>
  <button id="send" name="way" value="first">Send</button>${rest}
</form>`;

const open = (t: Test, body: string, options = {}) => openPage(t, browser, site.page(body, options));

/** Blocks challenge requests until released. */
async function holdChallenges(page: Page): Promise<() => Promise<void>> {
  const waiting: (() => Promise<void>)[] = [];
  let isOpen = false;
  await page.route('**/api/captcha/pow*', async (route) => {
    if (isOpen) return route.continue();
    waiting.push(() => route.continue());
  });
  return async () => {
    isOpen = true;
    await Promise.all(waiting.map((go) => go()));
  };
}

/** Blocks submissions until released. */
async function holdSubmissions(page: Page): Promise<() => Promise<unknown>> {
  const waiting: (() => Promise<void>)[] = [];
  await page.route('**/contact', async (route) => {
    waiting.push(() => route.continue());
  });
  return () => Promise.all(waiting.map((go) => go()));
}

/** Adds a script that submits the form through the controller, one at a time; `document.title` counts submissions. */
const sendByScript = (page: Page) =>
  page.evaluate(async () => {
    await customElements.whenDefined('tollgate-challenge');
    const element = document.querySelector('tollgate-challenge')!;
    let sent = 0;
    let isSending = false;
    document.forms[0]?.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      sent += 1;
      document.title = `sent ${sent}`;
      await element.controller!.submit((fields) => {
        const entries = [...new FormData(document.forms[0]), ...Object.entries(fields)] as string[][];
        return fetch('/contact', { method: 'POST', body: new URLSearchParams(entries) });
      });
      isSending = false;
    });
  });

/** Opens a page with blocked challenge requests. */
async function openHeld(t: Test, body: string) {
  const page = await open(t, '');
  const release = await holdChallenges(page);
  await page.goto(site.page(body));
  return { page, release };
}

const whenReady = (page: Page) =>
  page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');

t.test('submit stays disabled until it is ready, and every other button is unchanged', async (t) => {
  const others = `<button id="own" disabled>Own</button><button id="draft" formnovalidate>Draft</button>
    <input id="picture" type="image" alt="Go" src="/empty"><button id="plain" type="button">Plain</button>`;
  const outside = '<button id="outside" form="form">Outside</button>';
  const { page, release } = await openHeld(t, form('', others) + outside);
  await page.waitForSelector('#send:disabled');
  const disabled = () => page.$$eval('button:disabled, input:disabled', (all) => all.map(({ id }) => id));
  t.same(await disabled(), ['send', 'own', 'picture', 'outside']);
  await page.$eval('#own', (button) => button.removeAttribute('disabled'));
  await page.waitForSelector('#own:disabled');
  await page.$eval('#send', (button) => {
    (button as HTMLButtonElement).disabled = true;
  });
  await page.$eval('form', (element) => {
    element.insertAdjacentHTML('beforeend', '<button id="late">Late</button>');
  });
  await page.waitForSelector('#late:disabled');
  await release();
  await page.waitForSelector('#own:enabled');
  t.same(await disabled(), ['send'], 'a button disabled by the page stays disabled');
  t.equal(await page.getAttribute('#outside', 'disabled'), null);
});

t.test('a focused button keeps the focus, and gets aria-disabled instead', async (t) => {
  const { page, release } = await openHeld(t, form('hold-submit'));
  await page.focus('#send');
  await page.$eval('tollgate-challenge', (element) => element.removeAttribute('hold-submit'));
  t.equal(await page.getAttribute('#send', 'aria-disabled'), 'true');
  t.equal(await page.isEnabled('#send:not([disabled])'), false, 'disabled for assistive technology too');
  t.equal(await page.evaluate(() => document.activeElement?.id), 'send');
  await page.keyboard.press('Enter');
  t.same(site.delivered, [], 'a press sends nothing');
  await page.focus('[name=text]');
  await page.waitForSelector('#send[disabled]');
  t.equal(await page.getAttribute('#send', 'aria-disabled'), null);
  await release();
  await page.waitForSelector(ready);
});

t.test('the form is invalid until it is ready, with a reason', async (t) => {
  const { page, release } = await openHeld(t, form());
  const read = () =>
    page.$eval('tollgate-challenge', (element) => ({
      willValidate: element.willValidate,
      customError: element.validity.customError,
      message: element.validationMessage,
      form: element.form?.checkValidity(),
    }));
  t.same(await read(), {
    willValidate: true,
    customError: true,
    message: 'One moment, please: the security check is still running.',
    form: false,
  });
  await page.$eval('tollgate-challenge', (element) => element.reportValidity());
  t.equal(
    await page.$eval('tollgate-challenge', (element) => element.shadowRoot?.activeElement?.part.value),
    'status',
    'the browser has an anchor for its message',
  );
  await release();
  await whenReady(page);
  t.same(await read(), { willValidate: true, customError: false, message: '', form: true });
});

t.test('an image without an answer is a missing value', async (t) => {
  const page = await open(t, form('image="always" start="load"').replace('/contact', '/image'));
  await page.waitForSelector(ready);
  await page.click('#send');
  const read = () =>
    page.$eval('tollgate-challenge', (element) => [element.validity.valueMissing, element.validationMessage]);
  t.same(await read(), [true, 'Please type the characters in the image.']);
  t.equal(
    await page.$eval('tollgate-challenge', (element) => element.shadowRoot?.activeElement?.id),
    'answer',
    'the browser focuses the field',
  );
  await page.focus('[name=text]');
  await page.$eval('tollgate-challenge', (element) => element.focus());
  t.equal(await page.$eval('#answer', (input) => input.matches(':focus')), true);
  await page.fill('#answer', ' ');
  t.same(await read(), [true, 'Please type the characters in the image.']);
  await page.fill('#answer', 'abc');
  t.same(await read(), [false, '']);
  await page.$eval('form', (element) => (element as HTMLFormElement).reset());
  t.equal(await page.inputValue('#answer'), '', 'a reset empties the field');
  t.same(await read(), [true, 'Please type the characters in the image.']);
});

t.test('with hold-submit an early submission waits, and is sent with the pressed button', async (t) => {
  const { page, release } = await openHeld(
    t,
    form('hold-submit', '<button name="way" value="second">Two</button>'),
  );
  await page.click('text=Two');
  await page.waitForSelector('text=The form will be sent as soon as the security check is done.', {
    state: 'attached',
  });
  t.same(site.delivered, []);
  await release();
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ way: 'second', powToken: /^\w{40}$/ }]);
});

t.test('the end of a slow page load dropped an early submission', async (t) => {
  const { page, release } = await openHeld(t, '');
  let loaded = () => Promise.resolve();
  await page.route('**/slow.png', async (route) => {
    loaded = () => route.abort();
  });
  await page.goto(site.page(`${form('hold-submit')}<img src="/slow.png" alt="">`), {
    waitUntil: 'commit',
  });
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'solving');
  await page.evaluate(() => addEventListener('pageshow', () => (document.title = 'shown')));
  await page.click('#send');
  await page.waitForSelector('text=The form will be sent', { state: 'attached' });
  await loaded();
  await page.waitForFunction(() => document.title === 'shown');
  t.same(site.delivered, []);
  await release();
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'words', way: 'first' }]);
});

t.test('a move within the form dropped an early submission', async (t) => {
  const { page, release } = await openHeld(t, form('hold-submit'));
  await page.click('#send');
  await page.$eval('form', (element) => element.prepend(document.querySelector('tollgate-challenge')!));
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  t.same(site.delivered, []);
  await release();
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'words', way: 'first', powToken: /^\w{40}$/ }]);
});

t.test('a form was sent empty: its early submission had been withdrawn by a reset', async (t) => {
  const { page, release } = await openHeld(t, form('hold-submit', '<button type="reset">Clear</button>'));
  await page.fill('[name=text]', 'other words');
  await page.click('#send');
  await page.click('text=Clear');
  await release();
  await page.waitForSelector(ready);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
  t.same(site.delivered, []);
  await page.click('#send');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'words' }]);
});

t.test('a form without validation is delayed too, and no page listener sees the early attempt', async (t) => {
  const { page, release } = await openHeld(t, form().replace('<form', '<form novalidate'));
  await page.evaluate(() => {
    document.title = '';
    document.addEventListener('submit', () => {
      document.title += 'sent ';
    });
    document.forms[0]?.requestSubmit();
  });
  t.equal(await page.title(), '');
  await release();
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'words', powToken: /^\w{40}$/ }]);
});

t.test('a press during a submission does not send the same token twice', async (t) => {
  const page = await open(t, form('', '').replace('<form', '<form target="_blank"'));
  for (const count of [1, 2]) {
    await page.waitForSelector(ready);
    const opened = page.context().waitForEvent('page');
    await page.click('#send');
    const answer = await opened;
    await answer.waitForSelector('text=Delivered.');
    t.equal(site.delivered.length, count);
  }
  t.not(site.delivered[0]?.powToken, site.delivered[1]?.powToken);
});

t.test('a double-click sends once when a script sends the form', async (t) => {
  const page = await open(t, form('hold-submit'));
  await sendByScript(page);
  await whenReady(page);
  await page.dblclick('#send');
  await page.waitForFunction(() => document.title === 'sent 1');
  await page.waitForFunction(() => {
    const { status, controller } = document.querySelector('tollgate-challenge')!;
    return status === 'ready' && !controller?.isSubmitting;
  });
  t.equal(await page.title(), 'sent 1');
  t.equal(site.delivered.length, 1);
  t.same(site.requested, ['/pow', '/pow']);
});

t.test('a press before the response to a script is not sent afterwards; later presses are', async (t) => {
  const page = await open(t, '');
  const releaseSubmissions = await holdSubmissions(page);
  await page.goto(site.page(form('hold-submit')));
  await sendByScript(page);
  await whenReady(page);
  await page.press('[name=text]', 'Enter');
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'idle');
  await page.press('[name=text]', 'Enter');
  await page.click('#send');
  t.equal(await page.textContent('[role=status]'), '', 'and no submission is announced');
  const releaseChallenges = await holdChallenges(page);
  await releaseSubmissions();
  await page.waitForFunction(() => !document.querySelector('tollgate-challenge')?.controller?.isSubmitting);
  await page.press('[name=text]', 'Enter');
  t.match(await page.textContent('[role=status]'), /^The form will be sent as soon as/);
  t.equal(await page.title(), 'sent 1');
  await releaseChallenges();
  // Submissions are delayed again.
  await page.waitForFunction(() => document.title === 'sent 2');
});

t.test('a double-click sends once when the browser sends the form', async (t) => {
  const body = form('hold-submit').replace('<form', '<form target="frame"');
  const page = await open(t, `${body}<iframe name="frame" title="The answer"></iframe>`);
  await whenReady(page);
  await page.evaluate(() => {
    let sent = 0;
    document.addEventListener('submit', () => {
      sent += 1;
      document.title = `sent ${sent}`;
    });
  });
  await page.dblclick('#send');
  await page.frameLocator('iframe').getByText('Delivered.').waitFor();
  await whenReady(page);
  t.equal(await page.title(), 'sent 1');
  // Wait for its arrival, or the next test would count it.
  const answered = page.waitForEvent('framenavigated');
  await page.click('#send');
  await answered;
  t.equal(await page.title(), 'sent 2', 'another press is another submission');
});

t.test('a second press while a submission is delayed repeats the announcement', async (t) => {
  const { page, release } = await openHeld(t, form('hold-submit'));
  await page.click('#send');
  const sentence = 'The form will be sent as soon as the security check is done.';
  t.equal(await page.textContent('[role=status]'), sentence);
  const announcements = page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const region = document
          .querySelector('tollgate-challenge')!
          .shadowRoot!.querySelector('.visually-hidden')!;
        const announcements: (string | null)[] = [];
        const observer = new MutationObserver(() => {
          announcements.push(region.textContent);
          if (announcements.at(-1) === wanted) resolve(announcements);
        });
        observer.observe(region, { childList: true });
      }),
    sentence,
  );
  await page.focus('[name=text]');
  await page.press('[name=text]', 'Enter');
  t.same(
    await announcements,
    ['', sentence],
    'it is removed in between, so that screen readers announce it again',
  );
  await release();
  await page.waitForSelector('text=Delivered.');
  t.equal(site.delivered.length, 1);
});

t.test('a script reports the response to the element with settle', async (t) => {
  const page = await open(t, form());
  await page.waitForSelector(ready);
  const send = () =>
    page.evaluate(async () => {
      const element = document.querySelector('tollgate-challenge');
      const body = new URLSearchParams(new FormData(document.forms[0]) as never);
      const response = await fetch('/contact', { method: 'POST', body });
      await element?.settle(response.ok ? null : await response.json());
      return response.status;
    });
  t.equal(await send(), 200);
  await page.waitForSelector(ready);
  t.equal(await send(), 200);
  t.not(site.delivered[0]?.powToken, site.delivered[1]?.powToken);
  const shown = await page.evaluate(() =>
    document
      .querySelector('tollgate-challenge')
      ?.settle({ captcha_required: true, captcha_alternatives: [] }),
  );
  t.equal(shown, false);
  await page.waitForSelector('#answer');
  t.equal(await page.isVisible('text=I cannot read this image'), false);
});

t.test('a script submits the form through the element’s controller', async (t) => {
  const page = await open(t, form());
  const sent = await page.evaluate(async () => {
    await customElements.whenDefined('tollgate-challenge');
    const element = document.querySelector('tollgate-challenge')!;
    const response = await element.controller!.submit((fields) => {
      const entries = [...new FormData(document.forms[0]), ...Object.entries(fields)] as string[][];
      return fetch('/contact', { method: 'POST', body: new URLSearchParams(entries) });
    });
    return response.status;
  });
  t.equal(sent, 200);
  t.match(site.delivered, [{ text: 'words', powToken: /^\w{40}$/ }]);
  await page.waitForSelector(ready);
});
