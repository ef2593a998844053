// Libraries that send forms by script: each submission has fresh fields, and none of them calls the element.
import { readFileSync } from 'node:fs';
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { libraryFiles, libraryPolicy } from './library-files.js';

const site = await startFormSite(t, {}, libraryFiles);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const open = (t: Test, body: string) =>
  openPage(t, browser, site.page(body, { policy: libraryPolicy, head: '' }));

/** The page of a document. */
function sample(name: string): string {
  const text = readFileSync(new URL(`../../../../docs/client/${name}.md`, import.meta.url), 'utf8');
  return /```html\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
}

const works = () => site.requested.filter((path) => path.startsWith('/pow')).length;

const whenReady = (page: Page) =>
  page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');

/** Sends the form three times as a user does, and expects three deliveries and at most one renewal for each. */
async function sendThrice(t: Test, page: Page, press = () => page.click('form button')): Promise<void> {
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') statuses.push(response.status());
  });
  await whenReady(page);
  for (const text of ['one', 'two', 'three']) {
    await page.fill('[name=text]', text);
    const answered = page.waitForResponse((response) => response.request().method() === 'POST');
    await press();
    await (await answered).finished();
  }
  t.same(statuses, [200, 200, 200]);
  t.same(
    site.delivered.map(({ text }) => text),
    ['one', 'two', 'three'],
  );
  t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 3);
  t.ok(works() <= 4, `${works()} works`);
}

const form = (attributes: string, rest = '') => `
  <script type="module" src="/api/captcha/tollgate.js"></script>
  <form ${attributes}><input name="text"><tollgate-challenge></tollgate-challenge>${rest || '<button>Send</button>'}</form>
  <p id="answer"></p>`;

t.test('htmx 2 sends the form of its page repeatedly', async (t) => {
  const page = await open(t, sample('htmx'));
  await sendThrice(t, page);
  t.equal(await page.textContent('#answer'), 'Delivered.');
});

t.test('htmx 1, which reads the inputs itself, does so, too', async (t) => {
  const page = await open(t, sample('htmx').replace('/htmx.min.js', '/htmx-1.min.js'));
  await sendThrice(t, page);
});

t.test('htmx sends it from a button that submits nothing, pressed without moving the pointer', async (t) => {
  const button =
    '<button type="button" hx-post="/contact" hx-include="closest form" hx-target="#answer">Go</button>';
  const page = await open(t, `<script src="/htmx.min.js"></script>${form('', button)}`);
  await sendThrice(t, page, async () => {
    await whenReady(page);
    await page.focus('form button');
    await page.keyboard.press('Space');
  });
});

t.test('Turbo sends the form of its page, which stays where it is', async (t) => {
  const page = await open(t, sample('turbo'));
  await sendThrice(t, page);
  await page.waitForFunction(() => document.querySelector('#answer')?.textContent === 'Delivered.'.repeat(3));
});

t.test('Turbo sends a form whose response goes to another frame', async (t) => {
  const body = form('method="post" action="/frame" data-turbo-frame="answer"').replace(
    '<p id="answer"></p>',
    '<turbo-frame id="answer"></turbo-frame>',
  );
  const page = await open(t, `<script type="module" src="/turbo.js"></script>${body}`);
  await sendThrice(t, page);
});

t.test('a morph by Turbo leaves the fields in the form, and each once', async (t) => {
  const body = form('method="post" action="/stream" id="form"');
  const page = await open(t, `<script type="module" src="/turbo.js"></script>${body}`);
  await whenReady(page);
  const names = () =>
    page.evaluate(() =>
      [...new FormData(document.querySelector('form')!).keys()].filter((name) => name !== 'text'),
    );
  t.same(await names(), ['pow_token', 'pow_nonce']);
  await page.evaluate(async () => {
    const template = document.querySelector('form')!.cloneNode(true) as Element;
    template.querySelector('tollgate-challenge')!.replaceChildren();
    template.insertAdjacentHTML('beforeend', '<p id="morphed">New</p>');
    const stream = `<turbo-stream action="replace" method="morph" target="form"><template>${template.outerHTML}</template></turbo-stream>`;
    (
      globalThis as unknown as { Turbo: { renderStreamMessage(text: string): void } }
    ).Turbo.renderStreamMessage(stream);
  });
  await page.waitForSelector('#morphed');
  await page.waitForFunction(() => document.querySelectorAll('form [name=pow_token]').length === 1);
  t.same(await names(), ['pow_token', 'pow_nonce']);
  await page.evaluate(() => {
    const copy = document.querySelector('form')!.cloneNode(true) as HTMLFormElement;
    document.querySelector('form')!.replaceWith(copy);
  });
  await whenReady(page);
  t.same(await names(), ['pow_token', 'pow_nonce'], 'nor does a copy have the fields of its original');
  t.same(
    await page.$$eval('tollgate-challenge > input', (inputs) =>
      (inputs as HTMLInputElement[]).map((input) => [
        input.type,
        input.getAttribute('autocomplete'),
        input.required,
      ]),
    ),
    [
      ['hidden', 'off', false],
      ['hidden', 'off', false],
    ],
  );
});

t.test('jQuery serializes the form of its page repeatedly', async (t) => {
  const page = await open(t, sample('jquery'));
  await sendThrice(t, page);
  t.equal(await page.textContent('#answer'), 'Delivered.');
});

/** Adds a script that sends the form with `fetch`. */
const sendWithFetch = (page: Page) =>
  page.evaluate(() => {
    const form = document.querySelector('form')!;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      await fetch('/contact', { method: 'POST', body: new URLSearchParams(new FormData(form) as never) });
    });
  });

t.test('fetch with FormData sends the form repeatedly, its response unread', async (t) => {
  const page = await open(t, form(''));
  await sendWithFetch(page);
  await sendThrice(t, page);
});

t.test('drafts saved at every key cost no work, also while other requests end', async (t) => {
  const page = await open(t, form(''));
  await whenReady(page);
  await page.evaluate(() => {
    const form = document.querySelector('form')!;
    form.addEventListener('input', () => {
      void fetch('/empty', { method: 'GET', headers: { 'x-draft': String([...new FormData(form)].length) } });
    });
    form.addEventListener('keyup', () => {
      for (const field of form.elements) void (field as HTMLInputElement).value;
    });
  });
  await sendWithFetch(page);
  await page.focus('[name=text]');
  for (const key of 'twenty keys, at least') {
    const saved = page.waitForResponse('**/empty');
    await page.keyboard.type(key);
    await (await saved).finished();
  }
  t.equal(works(), 1);
  await page.click('form button');
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/contact')),
  );
  t.equal(site.delivered.length, 1);
  t.equal(works() <= 2, true, `${works()} works`);
});

t.test('a draft saved at each line costs no work, although Enter begins the line', async (t) => {
  const page = await open(t, form('').replace('<input name="text">', '<textarea name="text"></textarea>'));
  await whenReady(page);
  await page.evaluate(() => {
    const form = document.querySelector('form')!;
    form.querySelector('textarea')!.addEventListener('input', () => {
      void fetch('/empty', { headers: { 'x-draft': String([...new FormData(form)].length) } });
    });
  });
  await page.focus('[name=text]');
  for (let line = 0; line < 5; line += 1) {
    const saved = page.waitForResponse('**/empty');
    await page.keyboard.press('Enter');
    await (await saved).finished();
    await page.hover('form button');
  }
  t.equal(works(), 1);
});

t.test('a draft saved by each button of an editor costs no work if the form has its address', async (t) => {
  const tools = '<button type="button" id="bold">Bold</button><button id="send">Send</button>';
  const page = await open(t, form('action="/contact"', tools));
  await whenReady(page);
  await page.evaluate(() => {
    const form = document.querySelector('form')!;
    document.querySelector('#bold')!.addEventListener('click', () => {
      void fetch('/empty', { headers: { 'x-draft': String([...new FormData(form)].length) } });
    });
  });
  await sendWithFetch(page);
  for (let press = 0; press < 5; press += 1) {
    const saved = page.waitForResponse('**/empty');
    await page.focus('#bold');
    await page.keyboard.press('Space');
    await (await saved).finished();
    await page.hover('#send');
  }
  t.equal(works(), 1);
  await sendThrice(t, page, () => page.click('#send'));
});

t.test('a page that empties all inputs, or restores a draft of them, keeps the fields', async (t) => {
  const page = await open(t, form(''));
  await sendWithFetch(page);
  await whenReady(page);
  await page.evaluate(() => {
    for (const value of ['', 'of last week'])
      for (const control of document.querySelectorAll('input')) control.value = value;
  });
  await sendThrice(t, page);
});

t.test('a second press before the response has its own work', async (t) => {
  const page = await open(t, '');
  const waiting: (() => Promise<void>)[] = [];
  await page.route('**/contact', async (route) => {
    waiting.push(() => route.continue());
  });
  await page.goto(site.page(form(''), { policy: libraryPolicy, head: '' }));
  await sendWithFetch(page);
  await whenReady(page);
  await page.click('form button');
  await page.waitForTimeout(600);
  await page.click('form button');
  await page.waitForFunction(() => performance.getEntriesByType('resource').length > 0);
  while (waiting.length < 2) await page.waitForTimeout(20);
  await Promise.all(waiting.map((go) => go()));
  while (site.delivered.length < 2) await page.waitForTimeout(20);
  t.not(site.delivered[0]?.powToken, site.delivered[1]?.powToken);
});
