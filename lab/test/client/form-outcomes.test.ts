// After any submission by a library, accepted, refused or lost, the next one works, and no page calls the element.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {} from '@tollgate/client/element';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { libraryFiles, libraryPolicy } from './library-files.js';
import { bundlePage } from './page-bundle.js';

const { resolve } = createRequire(import.meta.url);
const reactForms = join(tempDir(t), 'react-forms.js');
writeFileSync(reactForms, await bundlePage(new URL('./react-forms.js', import.meta.url)));

const site = await startFormSite(
  t,
  // One visitor with many forms.
  { CAPTCHA_POW_VOLUME_STEP: '0', RATE_LIMIT_POW: '1000', RATE_LIMIT_ISSUE: '1000' },
  {
    ...libraryFiles,
    '/rails-ujs.js': resolve('@rails/ujs'),
    '/morphdom.js': resolve('morphdom/dist/morphdom-umd.min.js'),
    '/react-forms.js': reactForms,
  },
);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const element = '<script type="module" src="/api/captcha/tollgate.js"></script>';
const script = (path: string) => `<script src="${path}"></script>`;
const fields = '<input name="text"><tollgate-challenge></tollgate-challenge><button>Send</button>';

interface LibraryPage {
  readonly head: string;
  readonly body: string;
}

/** Sends the form with a function of the page. */
const onSubmit = (send: string) => `<script>
  document.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target;
    ${send}
  });
</script>`;

/** The server renders the form again with each response, and the page morphs into it, as with Livewire. */
const morph = `fetch('/contact', { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  .then(({ ok }) => ok, () => false)
  .then((isAccepted) => {
    const rendered = form.cloneNode(true);
    rendered.innerHTML = '${fields}<p>' + (isAccepted ? 'Delivered.' : 'Please try again.') + '</p>';
    rendered.querySelector('input').setAttribute('value', isAccepted ? '' : form.text.value);
    morphdom(form, rendered);
  })`;

const libraries: Readonly<Record<string, LibraryPage>> = {
  'htmx 2': {
    head: script('/htmx.min.js') + element,
    body: `<form hx-post="/contact" hx-target="#answer">${fields}</form><p id="answer"></p>`,
  },
  'htmx 1': {
    head: script('/htmx-1.min.js') + element,
    body: `<form hx-post="/contact" hx-target="#answer">${fields}</form><p id="answer"></p>`,
  },
  Turbo: {
    head: `<script type="module" src="/turbo.js"></script>${element}`,
    body: `<form method="post" action="/stream">${fields}</form><p id="answer"></p>`,
  },
  jQuery: {
    head: script('/jquery.min.js') + element,
    body: `<form>${fields}</form>${onSubmit(`$.post('/contact', $(form).serialize())`)}`,
  },
  'rails-ujs': {
    head: script('/rails-ujs.js') + element,
    body: `<form data-remote="true" method="post" action="/contact">${fields.replace('<button', '<button data-disable-with="Sending"')}</form>`,
  },
  morphdom: {
    head: script('/morphdom.js') + element,
    body: `<form>${fields}</form>${onSubmit(morph)}`,
  },
  'React Hook Form': {
    head: '<script type="module" src="/react-forms.js"></script>',
    body: '<div id="hook"></div>',
  },
  'an action of React': {
    head: '<script type="module" src="/react-forms.js"></script>',
    body: '<div id="action"></div>',
  },
};

const pageOf = ({ head, body }: LibraryPage) => site.page(body, { policy: libraryPolicy, head });

/** Opens a page; a library may report a lost request as an error of the page. */
async function open(t: Test, address: string): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank');
  page.removeAllListeners('pageerror');
  page.on('pageerror', ({ message }) => {
    if (message !== 'Failed to fetch') t.fail(message);
  });
  await page.goto(address);
  await whenReady(page);
  return page;
}

const whenReady = (page: Page) =>
  page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');

/** Presses the button, as a user without a pointer does. @returns the status; 0 for a lost request */
async function press(page: Page): Promise<number> {
  // Some libraries disable the button until they have the response.
  await page.waitForSelector('form button:enabled');
  const ended = Promise.race([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('requestfailed', (request) => request.method() === 'POST'),
  ]);
  await page.press('form button', 'Enter');
  const end = await ended;
  return 'status' in end ? end.status() : 0;
}

async function send(page: Page, text: string): Promise<number> {
  await page.fill('[name=text]', text);
  return press(page);
}

/** Handles the next submission in place of the server. */
async function intercept(page: Page, handle: Parameters<Page['route']>[1]): Promise<void> {
  await page.route(
    (url) => /^\/(contact|stream)$/.test(url.pathname),
    (route, request) => (request.method() === 'POST' ? handle(route, request) : route.fallback()),
    { times: 1 },
  );
}

const texts = () => site.delivered.map(({ text }) => text);
const works = () => site.requested.filter((path) => path.startsWith('/pow')).length;
const names = (page: Page) => page.evaluate(() => [...new FormData(document.querySelector('form')!).keys()]);

for (const [name, library] of Object.entries(libraries)) {
  t.test(`${name}: refused, accepted, accepted`, async (t) => {
    const page = await open(t, pageOf(library));
    t.equal(await send(page, 'wrong'), 422);
    t.equal(await send(page, 'one'), 200);
    t.equal(await send(page, 'two'), 200);
    t.equal(await send(page, 'wrong'), 422);
    t.equal(await send(page, 'wrong'), 422);
    t.equal(await send(page, 'three'), 200);
    t.same(texts(), ['one', 'two', 'three']);
    t.ok(works() <= 7, `${works()} works`);
    await whenReady(page);
    t.same((await names(page)).sort(), ['pow_nonce', 'pow_token', 'text'], 'each field once');
  });

  t.test(`${name}: the next press after spent fields, an outage and a lost request`, async (t) => {
    const page = await open(t, pageOf(library));
    t.equal(await send(page, 'one'), 200);
    const spent = String(site.delivered[0]?.powToken);
    await intercept(page, (route, request) => {
      const body = request.postDataBuffer()?.toString('latin1') ?? '';
      const [, token = ''] = /pow_token(?:=|"\r\n\r\n|":")(\w{40})/.exec(body) ?? [];
      return route.continue({ postData: Buffer.from(body.replace(token, spent), 'latin1') });
    });
    t.equal(await send(page, 'two'), 422, 'fields of an earlier submission');
    t.equal(await press(page), 200);
    await intercept(page, (route) =>
      route.fulfill({ status: 503, contentType: 'text/plain', body: 'later' }),
    );
    t.equal(await send(page, 'three'), 503);
    t.equal(await press(page), 200);
    await intercept(page, (route) => route.abort());
    t.equal(await send(page, 'four'), 0);
    t.equal(await press(page), 200);
    t.same(texts(), ['one', 'two', 'three', 'four']);
    t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 4);
  });
}

/** Loads a page without the browser and goes back. */
const navigations: Readonly<Record<string, { page: LibraryPage; link: string }>> = {
  'htmx 2': { page: libraries['htmx 2']!, link: 'hx-boost="true"' },
  'htmx 1': { page: libraries['htmx 1']!, link: 'hx-boost="true"' },
  Turbo: { page: libraries.Turbo!, link: '' },
};

for (const [name, { page: library, link }] of Object.entries(navigations)) {
  t.test(`${name}: a page from its cache has fresh fields, each once`, async (t) => {
    const other = pageOf({ ...library, body: '<p id="other">Another page</p>' });
    const body = `<a href="${other}" ${link}>Another page</a>${library.body}`;
    const page = await open(t, pageOf({ ...library, body }));
    await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
    for (const text of ['one', 'two']) {
      t.equal(await send(page, text), 200);
      await page.click('a');
      await page.waitForSelector('#other');
      await page.goBack();
      await page.waitForSelector('form');
      await whenReady(page);
      t.ok(await page.evaluate(() => 'isSame' in globalThis), 'the document has not been loaded again');
      t.same((await names(page)).sort(), ['pow_nonce', 'pow_token', 'text']);
    }
    t.equal(await send(page, 'wrong'), 422);
    t.equal(await send(page, 'three'), 200);
    t.same(texts(), ['one', 'two', 'three']);
  });
}

t.test('Turbo: the form of a rejected login is rendered again, and accepted', async (t) => {
  const body = `<form method="post" action="/sign-in"><input name="email" value="ann@example.com">
    <input name="password">${fields}</form>`;
  const page = await open(t, pageOf({ head: libraries.Turbo!.head, body }));
  const before = await page.$('tollgate-challenge');
  await page.fill('[name=password]', 'wrong');
  t.equal(await press(page), 422);
  await page.waitForFunction((before) => document.querySelector('tollgate-challenge') !== before, before);
  await whenReady(page);
  await page.fill('[name=password]', 'right');
  t.equal(await press(page), 200);
  await until(() => site.delivered.length === 1, 'the login arrives');
});
