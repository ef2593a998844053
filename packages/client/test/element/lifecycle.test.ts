// Lifecycle of the element in a page: moves, several forms, shadow roots, fieldsets, controllers, attributes.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { chromium, type Page } from 'playwright-core';
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

const whenReady = (page: Page) =>
  page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');

t.test('a move within the page keeps the work; outside of the page it stops', async (t) => {
  const page = await open(t, `${form()}<form id="second"><button id="two">Two</button></form>`);
  await whenReady(page);
  await page.evaluate(() => {
    const element = document.querySelector('tollgate-challenge')!;
    document.querySelector('#second')?.append(element);
  });
  t.same(site.requested, ['/pow']);
  t.equal(await page.$eval('tollgate-challenge', (element) => element.form?.id), 'second');
  t.same(await page.evaluate(() => Object.keys(Object.fromEntries(new FormData(document.forms[1])))), [
    'pow_token',
    'pow_nonce',
  ]);
  t.equal(await page.isEnabled('#send'), true);
  const after = await page.evaluate(async () => {
    const element = document.querySelector('tollgate-challenge')!;
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    const left = [element.status, element.controller];
    document.forms[0]?.append(element);
    return left;
  });
  t.same(after, ['idle', null]);
  await whenReady(page);
  t.same(site.requested, ['/pow', '/pow']);
});

t.test('two forms, one of them in a shadow root, have separate challenges', async (t) => {
  const page = await open(t, `${form()}<div id="host"></div>`);
  await page.evaluate((markup) => {
    document.querySelector('#host')!.attachShadow({ mode: 'open' }).innerHTML = markup;
  }, form());
  await page.waitForFunction(() => {
    const roots = [document, document.querySelector('#host')!.shadowRoot!];
    return roots.every((root) => root.querySelector('tollgate-challenge')?.status === 'ready');
  });
  const tokens = await page.evaluate(() => {
    const inner = document.querySelector('#host')!.shadowRoot!.querySelector('form')!;
    return [document.forms[0]!, inner].map((one) => new FormData(one).get('pow_token'));
  });
  t.not(tokens[0], tokens[1]);
  await page.click('#host #send:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ powToken: tokens[1] }]);
});

t.test('a disabled fieldset disables it, an enabled one enables it', async (t) => {
  const page = await open(
    t,
    form()
      .replace('<tollgate', '<fieldset disabled><tollgate')
      .replace('</tollgate-challenge>', '</tollgate-challenge></fieldset>'),
  );
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  t.equal(await page.isEnabled('#send'), true, 'it requires nothing from the form');
  t.same(await page.$eval('form', (element) => [...new FormData(element as HTMLFormElement).keys()]), [
    'text',
  ]);
  t.same(site.requested, []);
  await page.$eval('fieldset', (fieldset) => {
    (fieldset as HTMLFieldSetElement).disabled = false;
  });
  await whenReady(page);
  t.same(site.requested, ['/pow']);
});

t.test('a page shares its controller, before the element is defined or after', async (t) => {
  const page = await open(t, form(), { head: '' });
  const result = await page.evaluate(async () => {
    const sources = ['/client/challenge.js', '/client/element.js'];
    const { createChallenge } = await import(sources[0]!);
    const controller = createChallenge({ autoStart: false, fields: { pow_token: 'shared' } });
    const element = document.querySelector('tollgate-challenge')!;
    const events: string[] = [];
    element.addEventListener('statuschange', () => events.push(element.status));
    element.controller = controller;
    await import(sources[1]!);
    await controller.refresh();
    const names = [...new FormData(document.forms[0]).keys()];
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    const isKept = element.controller === controller && controller.status === 'ready';
    controller.close();
    return { names, isKept, events };
  });
  t.same(result, {
    names: ['text', 'shared', 'pow_nonce'],
    isKept: true,
    events: ['solving', 'ready'],
  });
  t.same(site.requested, ['/pow'], 'none of its own');
});

t.test('a batch of changed attributes creates one new controller', async (t) => {
  const page = await open(t, form());
  await whenReady(page);
  await page.$eval('tollgate-challenge', (element) => {
    element.setAttribute('pow-token-name', 'one');
    element.setAttribute('pow-nonce-name', 'two');
  });
  await page.waitForSelector(ready);
  await whenReady(page);
  t.same(await page.$eval('form', (element) => [...new FormData(element as HTMLFormElement).keys()]), [
    'text',
    'one',
    'two',
  ]);
  t.same(site.requested, ['/pow', '/pow']);
});

for (const start of ['focus', 'submit']) {
  t.test(
    `an enabled fieldset started an element with start="${start}" before its form was used`,
    async (t) => {
      const page = await open(
        t,
        form(`start="${start}"`)
          .replace('<tollgate', '<fieldset disabled><tollgate')
          .replace('</form>', '</fieldset></form>'),
      );
      await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
      const toggle = (isDisabled: boolean) =>
        page.$eval(
          'fieldset',
          (fieldset, isDisabled) => {
            (fieldset as HTMLFieldSetElement).disabled = isDisabled;
          },
          isDisabled,
        );
      for (const isDisabled of [false, true, false]) await toggle(isDisabled);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
      t.equal(await page.$eval('tollgate-challenge', (element) => element.status), 'idle');
      t.same(site.requested, []);
      await page.$eval('tollgate-challenge', (element) => element.controller?.touch());
      await whenReady(page);
      t.same(site.requested, ['/pow']);
    },
  );
}

t.test('the fields of an element that had left its form stayed in the form', async (t) => {
  const page = await open(t, `${form()}<div id="outside"></div>`);
  await whenReady(page);
  const names = () => page.evaluate(() => [...new FormData(document.forms[0]).keys()]);
  await page.$eval('tollgate-challenge', (element) => {
    element.setAttribute('form', 'form');
    document.querySelector('#outside')?.append(element);
  });
  t.same(await names(), ['text', 'pow_token', 'pow_nonce']);
  await page.$eval('tollgate-challenge', (element) => element.removeAttribute('form'));
  t.same(await names(), ['text']);
  await page.evaluate(async () => {
    const source = '/client/challenge.js';
    const { createChallenge } = await import(source);
    const element = document.querySelector('tollgate-challenge')!;
    element.setAttribute('form', 'form');
    element.controller = createChallenge();
  });
  await whenReady(page);
  t.same(await names(), ['text', 'pow_token', 'pow_nonce']);
  await page.evaluate(async () => {
    document.querySelector('tollgate-challenge')!.remove();
    await new Promise((resolve) => setTimeout(resolve));
  });
  t.same(await names(), ['text'], 'also those of a shared controller');
});

t.test('a refusal rendered into an element that stayed in the page was ignored', async (t) => {
  const page = await open(t, form());
  await whenReady(page);
  const state = () =>
    page.$eval('tollgate-challenge', ({ controller }) => ({
      isRequired: controller?.state.captchaRequired,
      kind: controller?.state.captcha?.kind ?? null,
    }));
  const scoped = page.waitForRequest(/\/pow\?scope=AQx3$/);
  await page.$eval('tollgate-challenge', (element) => {
    element.setAttribute('captcha-required', '');
    element.setAttribute('pow-scope', 'AQx3');
  });
  await scoped;
  await page.waitForSelector('#answer');
  t.same(await state(), { isRequired: true, kind: 'image' });
  const requests = site.requested.length;
  await page.$eval('tollgate-challenge', (element) => {
    element.setAttribute('captcha-required', '');
    element.setAttribute('pow-scope', 'AQx3');
  });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
  t.equal(site.requested.length, requests, 'the same attributes again change nothing');
  await page.$eval('tollgate-challenge', (element) => {
    element.removeAttribute('captcha-required');
    element.removeAttribute('pow-scope');
  });
  await whenReady(page);
  t.same(await state(), { isRequired: false, kind: null }, 'removed after a success');
});

t.test(
  'a second refusal with the same attributes, in a response with status 200, removed the image',
  async (t) => {
    const page = await open(t, form('captcha-required'));
    await page.waitForSelector('#answer');
    await page.fill('#answer', 'wrong');
    await whenReady(page);
    await page.route('**/action', (route) => route.fulfill({ body: 'refused again' }));
    await page.evaluate(() => {
      document.forms[0]?.addEventListener('submit', (event) => {
        event.preventDefault();
        void fetch('/action', { method: 'POST', body: new FormData(document.forms[0]) });
      });
    });
    const before = await page.$eval('tollgate-challenge', ({ controller }) => controller?.state.captcha);
    await page.click('#send');
    await page.waitForFunction(
      (before) => {
        // The person returns to the form.
        dispatchEvent(new Event('focus'));
        const captcha = document.querySelector('tollgate-challenge')?.controller?.state.captcha;
        return captcha?.kind === 'image' && captcha.url !== before;
      },
      before?.kind === 'image' ? before.url : '',
    );
    t.equal(await page.inputValue('#answer'), '', 'a new image');
  },
);

t.test('a disabled element requests nothing, whatever happens to its form', async (t) => {
  const page = await open(t, form('disabled'));
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  const seen = await page.evaluate(async () => {
    const element = document.querySelector('tollgate-challenge')!;
    const statuses: string[] = [];
    element.addEventListener('statuschange', () => statuses.push(element.status));
    document.forms[0]?.reset();
    element.formStateRestoreCallback();
    await element.refresh();
    await element.settle(null);
    await element.settle({ captcha_required: true });
    await element.controller?.newImage();
    element.controller?.touch();
    element.setAttribute('preset', 'other');
    await new Promise((resolve) => setTimeout(resolve));
    document.forms[0]?.reset();
    return [...statuses, element.status];
  });
  t.same(seen, ['idle']);
  t.same(site.requested, []);
});

t.test('a reset does not count as activity: expired work is not renewed', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.goto(site.page(form()));
  await whenReady(page);
  await page.clock.fastForward(600_000);
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'idle');
  const status = await page.evaluate(() => {
    document.forms[0]?.reset();
    document.querySelector('tollgate-challenge')?.formStateRestoreCallback();
    return document.querySelector('tollgate-challenge')?.status;
  });
  t.equal(status, 'idle');
  t.same(site.requested, ['/pow']);
});

t.test('disabled during the work, it stops, and continues when enabled again', async (t) => {
  const page = await open(t, '');
  let isOpen = false;
  await page.route('**/api/captcha/pow*', (route) => (isOpen ? route.continue() : undefined));
  await page.goto(site.page(form()));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'solving');
  const disable = (isDisabled: boolean) =>
    page.$eval(
      'tollgate-challenge',
      (element, isDisabled) => {
        element.disabled = isDisabled;
        return element.status;
      },
      isDisabled,
    );
  t.equal(await disable(true), 'idle');
  isOpen = true;
  t.equal(await disable(false), 'solving');
  await whenReady(page);
  t.same(site.requested, ['/pow'], 'the current work was aborted');
});

t.test('disabled when ready, it renews nothing until enabled again', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.goto(site.page(form()));
  await whenReady(page);
  await page.focus('[name=text]');
  await page.$eval('tollgate-challenge', (element) => {
    element.disabled = true;
  });
  // In steps, because the form counts as in use for two minutes after the last touch.
  for (let steps = 0; steps < 12; steps += 1) await page.clock.runFor(10_000);
  t.equal(await page.$eval('tollgate-challenge', (element) => element.status), 'idle');
  t.same(site.requested, ['/pow']);
  await page.$eval('tollgate-challenge', (element) => {
    element.disabled = false;
  });
  await whenReady(page);
  t.same(site.requested, ['/pow', '/pow']);
});

t.test(
  'a form disabled during a submission by script is sent, and fetches challenges afterwards',
  async (t) => {
    const page = await open(
      t,
      form().replace('<tollgate', '<fieldset><tollgate').replace('</form>', '</fieldset></form>'),
    );
    const result = await page.evaluate(async () => {
      await customElements.whenDefined('tollgate-challenge');
      const element = document.querySelector('tollgate-challenge')!;
      const fieldset = document.querySelector('fieldset')!;
      const sending = element.controller!.submit((fields) =>
        fetch('/contact', { method: 'POST', body: new URLSearchParams(fields) }),
      );
      fieldset.disabled = true;
      const { status } = await sending;
      const before = element.status;
      fieldset.disabled = false;
      return [status, before, element.status];
    });
    t.same(result, [200, 'idle', 'solving']);
    await whenReady(page);
    t.same(site.requested, ['/pow', '/pow']);
  },
);

t.test('a form restored by the browser contains no tokens', async (t) => {
  const page = await open(t, '');
  await page.addInitScript(() => {
    const restored: unknown[] = [];
    Object.assign(globalThis, { restored });
    const { define } = CustomElementRegistry.prototype;
    CustomElementRegistry.prototype.define = function (name, element) {
      const Watched = class extends element {
        formStateRestoreCallback(state: unknown): void {
          restored.push(state instanceof FormData ? [...state] : state);
        }
      };
      define.call(this, name, Watched);
    };
  });
  await page.goto(site.page(form()));
  await page.fill('[name=text]', 'typed');
  await whenReady(page);
  await page.goto(site.page('Elsewhere'));
  await page.goBack();
  await whenReady(page);
  t.equal(await page.inputValue('[name=text]'), 'typed', 'the browser restores the form');
  t.same(await page.evaluate('restored'), []);
});

t.test('restored from the back/forward cache, the form has new challenges and can be sent', async (t) => {
  const keeping = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  t.teardown(() => keeping.close());
  const page = await openPage(t, keeping, site.page(form()));
  await whenReady(page);
  const token = () => page.evaluate(() => new FormData(document.forms[0]).get('pow_token'));
  const before = await token();
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await page.click('#send');
  await page.waitForSelector('text=Delivered.');
  await page.goBack({ waitUntil: 'commit' });
  t.equal(await page.evaluate('window.isSamePage'), true, 'the page was kept');
  await page.waitForSelector(ready);
  await whenReady(page);
  t.not(await token(), before);
  await page.click('#send');
  await page.waitForSelector('text=Delivered.');
  t.equal(site.delivered.length, 2);
});
