// Unusual pages: controls named like form properties, shadow roots in between, a slow server; and pages that need a
// change by a developer: visitors get a correct message, developers one console line.
import type {} from '@tollgate/client/element';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { imageForm, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startStaticSite } from '../support/static-site.js';

const site = await startFormSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
const open = (t: Test, body: string) => openPage(t, browser, site.page(body, { policy }));

/** Every form property that a control name can hide. */
const names = (page: Page) =>
  page.evaluate(() => {
    const found = new Set<string>();
    for (let at = HTMLFormElement.prototype as object; at !== null; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at)) found.add(name);
    return [...found];
  });

const other = await startStaticSite({ pages: {} });
t.teardown(() => other.stop());

/** Console lines of the package in a page and its frames. */
function listen(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.text().startsWith('Tollgate:')) said.push(message.text());
  });
  return said;
}

t.test('a control may have the name of any form property', async (t) => {
  const all = await names(await open(t, ''));
  t.ok(
    all.length > 300 &&
      ['method', 'elements', 'addEventListener', 'submit', 'id'].every((name) => all.includes(name)),
  );
  const controls = all.map((name) => `<input type="hidden" name="${name}" value="x">`).join('');
  const page = await open(
    t,
    `<form method="post" action="/contact"><input name="text" value="words">${controls}
      <tollgate-challenge hold-submit></tollgate-challenge><button id="send">Send</button></form>`,
  );
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  // Playwright's own click fails on such a form.
  await page.evaluate(() => document.querySelector<HTMLElement>('#send')!.click());
  await page.getByText('Delivered.').waitFor();
  t.match(site.delivered, [{ text: 'words', method: 'x', powToken: /^\w{40}$/ }]);
  t.same(said, []);
});

for (const [where, before, after] of [
  ['outside of it', '', ''],
  ['in another form', '<form id="other">', '</form>'],
] as const) {
  t.test(`an element with a form attribute adds its fields to that form: ${where}`, async (t) => {
    const page = await open(
      t,
      `<form method="post" action="/contact" id="form"><input name="text" value="words"><button id="send">Send</button></form>
      ${before}<tollgate-challenge form="form"></tollgate-challenge>${after}`,
    );
    await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
    const fields = await page.evaluate(() =>
      [...document.forms].map((form) => [...new FormData(form).keys()]),
    );
    t.same(fields[0], ['text', 'pow_token', 'pow_nonce']);
    t.same(fields[1] ?? [], []);
    await page.click('#send');
    await page.getByText('Delivered.').waitFor();
    t.match(site.delivered, [{ text: 'words', powToken: /^\w{40}$/ }]);
  });
}

const componentWith = (content: string, light = '') => `
  <form method="post" action="/contact"><input name="text" value="words">
    <x-field>${light}</x-field><button id="send">Send</button></form>
  <script>
    customElements.define('x-field', class extends HTMLElement {
      constructor() {
        super();
        this.attachShadow({ mode: 'closed' }).innerHTML = ${JSON.stringify(content)};
      }
    });
  </script>`;

t.test(
  'an element in the shadow root of a component inside the form adds its fields to each submission',
  async (t) => {
    const page = await open(t, componentWith('<tollgate-challenge></tollgate-challenge>'));
    const fields = () =>
      page.evaluate(() =>
        [...new FormData(document.forms[0]).keys()].filter((name) => name.startsWith('pow_')),
      );
    await page.waitForFunction(() => new FormData(document.forms[0]).has('pow_token'));
    t.same(await fields(), ['pow_token', 'pow_nonce']);
    await page.evaluate(() => {
      document.forms[0]!.addEventListener('submit', (event) => {
        if (document.title === 'sends') return;
        event.preventDefault();
        void fetch('/contact', {
          method: 'POST',
          body: new URLSearchParams(new FormData(document.forms[0]) as never),
        });
      });
    });
    for (const count of [1, 2]) {
      await page.fill('[name=text]', `${count}`);
      await page.click('#send');
      await until(() => site.delivered.length === count, `submission ${count} arrives`);
    }
    await page.evaluate(() => {
      document.title = 'sends';
    });
    await page.click('#send');
    await page.getByText('Delivered.').waitFor();
    t.equal(site.delivered.length, 3);
    t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 3);
  },
);

t.test('an element in a slot of a component finds the form around the slot', async (t) => {
  const page = await open(
    t,
    `<x-form><tollgate-challenge></tollgate-challenge></x-form>
    <script>
      customElements.define('x-form', class extends HTMLElement {
        constructor() {
          super();
          this.attachShadow({ mode: 'open' }).innerHTML =
            '<form method="post" action="/contact"><input name="text" value="slotted"><slot></slot><button>Send</button></form>';
        }
      });
    </script>`,
  );
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await page.click('button:enabled');
  await page.getByText('Delivered.').waitFor();
  t.match(site.delivered, [{ text: 'slotted', powToken: /^\w{40}$/ }]);
});

t.test('presses before a slow server responds are one request', async (t) => {
  const page = await open(t, '');
  const waiting: (() => Promise<void>)[] = [];
  await page.route('**/contact', async (route) => {
    waiting.push(() => route.continue());
  });
  await page.goto(
    site.page(
      '<form method="post" action="/contact"><input name="text" value="slow"><tollgate-challenge></tollgate-challenge><button id="send">Send</button></form>',
    ),
  );
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  let presses = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('?pressed')) presses += 1;
  });
  // By the page itself: a driver would wait for the next page.
  await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('#send')!;
    const press = () => {
      button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
      button.click();
      void fetch('/empty?pressed');
    };
    for (const ms of [0, 300, 600]) setTimeout(press, ms);
  });
  await until(() => presses === 3, 'the button has been pressed three times');
  t.equal(waiting.length, 1);
  await waiting[0]?.();
  await page.getByText('Delivered.').waitFor();
  t.equal(site.delivered.length, 1);
  t.equal(site.requested.filter((path) => path.startsWith('/pow')).length, 1, 'nor is more work fetched');
});

t.test('a page that stays can be sent again after input, or after ten seconds', async (t) => {
  const page = await open(t, '');
  let requests = 0;
  await page.route('**/contact', async (route) => {
    requests += 1;
    await route.fulfill({ status: 204 });
  });
  await page.clock.install();
  await page.goto(
    site.page(
      '<form method="post" action="/contact"><input name="text"><tollgate-challenge></tollgate-challenge><button id="send">Send</button></form>',
    ),
  );
  const whenReady = () =>
    page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await whenReady();
  const press = () => page.$eval('#send', (button) => (button as HTMLButtonElement).click());
  await press();
  await until(() => requests === 1, 'the first arrives');
  await page.waitForTimeout(50);
  await press();
  await page.fill('[name=text]', 'more');
  await whenReady();
  t.equal(requests, 1, 'a press in between is dropped');
  await press();
  await until(() => requests === 2, 'the second arrives after typing');
  await page.clock.fastForward(10_500);
  await press();
  await until(() => requests === 3, 'the third arrives after ten seconds');
});

t.test('a sandboxed frame: no message promises a retry', async (t) => {
  const inner = site.page(imageForm('image="always" start="load"'), {
    head: `<script type="module" src="${site.address}/api/captcha/tollgate.js"></script>`,
  });
  const page = await openPage(t, browser, 'about:blank');
  const said = listen(page);
  const outer = site.page(`<iframe sandbox="allow-scripts allow-forms" src="${inner}"></iframe>`);
  await page.goto(outer);
  const frame = page.frameLocator('iframe');
  await frame.getByText('The security check of this site is not set up correctly.').first().waitFor();
  t.equal(await frame.getByText('automatically').count(), 0);
  const asked = site.requested.length;
  await page.waitForTimeout(5_000);
  t.equal(site.requested.length, asked, 'and there is no automatic retry');
  t.match(said, [/^Tollgate: the service rejects pages without an origin: .*allow-same-origin/]);
  t.equal(said.length, 1, said.join('\n'));
});

t.test('an image of another host that the page does not allow: one sentence, one line', async (t) => {
  const page = await openPage(t, browser, 'about:blank', { expectsViolations: true });
  const said = listen(page);
  await page.route('**/api/captcha?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    // Like a service whose PUBLIC_URL names another host.
    await route.fulfill({ json: { ...body, url: new URL(new URL(body.url).pathname, other.address).href } });
  });
  await page.goto(site.page(imageForm('image="always" start="load"')));
  await page
    .getByText(
      'The image cannot be shown. Please request a new one. If that does not help, please tell the people who run the site.',
    )
    .waitFor();
  await until(() => said.length > 0, 'the console says it');
  await page.getByRole('button', { name: 'New image' }).click();
  await until(() => site.requested.filter((path) => path === '').length > 1, 'a new image is fetched');
  await page.waitForTimeout(500);
  t.match(said, [new RegExp(`^Tollgate: an image of ${other.address} did not load.*PUBLIC_URL.*img-src`)]);
  t.equal(said.length, 1, said.join('\n'));
});

t.test('a response from another server: the console reports it once', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  const said = listen(page);
  await page.goto(site.page(imageForm('prefix="wrong"')));
  await page.getByText('is not set up correctly').first().waitFor();
  await until(() => said.length > 0, 'the console says it');
  t.match(said, [/^Tollgate: the service returned no challenge: .*not found.*prefix/]);
  t.equal(said.length, 1, said.join('\n'));
});
