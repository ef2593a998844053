// Plain HTML forms that the browser sends to a guarded route; the only script of the page imports the element.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import {
  asModules,
  policyWithoutWasm,
  ready,
  signInForm,
  startFormSite,
} from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const contact = `<form method="post" action="/contact">
  <label>Text <input name="text" required></label>
  <tollgate-challenge></tollgate-challenge>
  <button name="way" value="first">Send</button>
</form>`;

const open = (t: Test, body: string, options = {}) => openPage(t, browser, site.page(body, options));

const solverOf = (page: Page) =>
  page.$eval('tollgate-challenge', (element) => element.controller?.state.solver);

/** Answer to the newest image, read from the page. */
function watchAnswers(page: Page): () => Promise<string> {
  let newest: Promise<string> = Promise.resolve('');
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/api/captcha')
      newest = response.json().then(({ answer }) => answer);
  });
  return () => newest;
}

t.test('a form with work is sent with its fields, and each token is new', async (t) => {
  const page = await open(t, contact, { head: asModules });
  for (const text of ['one', 'two']) {
    await page.fill('[name=text]', text);
    await page.click('form > button:enabled');
    await page.waitForSelector('text=Delivered.');
    await page.goBack();
  }
  t.match(site.delivered, [
    { text: 'one', way: 'first', powToken: /^\w{40}$/, powNonce: /^\d+$/ },
    { text: 'two', way: 'first', powToken: /^\w{40}$/, powNonce: /^\d+$/ },
  ]);
  t.not(site.delivered[0]?.powToken, site.delivered[1]?.powToken);
});

t.test('the prebuilt file is sufficient for a page: its workers load it too', async (t) => {
  const page = await open(t, contact);
  const workers = new Set<string>();
  const scripts = new Set<string>();
  page.on('worker', (worker) => workers.add(new URL(worker.url()).pathname));
  page.on('request', (request) => {
    if (request.url().endsWith('.js')) scripts.add(new URL(request.url()).pathname);
  });
  await page.reload();
  await page.fill('[name=text]', 'prebuilt');
  await page.waitForSelector(ready);
  t.match(await solverOf(page), { path: 'simd', degraded: false });
  t.strictSame([...workers], ['/tollgate.js']);
  t.strictSame([...scripts], ['/tollgate.js']);
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'prebuilt', powToken: /^\w{40}$/ }]);
});

t.test('it works without WebAssembly, and reports slow work', async (t) => {
  const page = await open(t, contact, { policy: policyWithoutWasm, head: asModules });
  await page.fill('[name=text]', 'slow');
  await page.waitForSelector(ready);
  t.match(await solverOf(page), { path: 'js', degraded: true });
  t.equal(await page.isVisible('text=This takes longer here'), true);
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'slow' }]);
});

t.test('a form with an image is sent with the typed answer, by the Enter key', async (t) => {
  const body = contact
    .replace('/contact', '/image')
    .replace('<tollgate-challenge>', '<tollgate-challenge image="always" start="load">');
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  const answer = watchAnswers(page);
  await page.goto(site.page(body));
  await page.fill('[name=text]', 'with image');
  await page.waitForSelector(ready);
  await page.fill('#answer', await answer());
  await page.press('#answer', 'Enter');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'with image', way: 'first', imageToken: /^\w{40}$/ }]);
});

t.test('server-rendered errors lead to the image, and to work in its place', async (t) => {
  const page = await open(t, signInForm());
  const answer = watchAnswers(page);
  for (const password of ['wrong', 'also wrong']) {
    t.equal(await page.isVisible('#answer'), false);
    await page.fill('[name=password]', password);
    await Promise.all([page.waitForEvent('load'), page.click('form > button:enabled')]);
  }
  await page.waitForSelector('#answer');
  await page.waitForSelector(ready);
  t.not(await answer(), '');
  await page.click('text=I cannot read this image');
  await page.waitForSelector('text=Done: no image is needed.');
  await page.fill('[name=password]', 'right');
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ email: 'ann@example.com', imageAnswer: /^(\d+\.){15}\d+$/ }]);
});

t.test('custom field names are used', async (t) => {
  const names = 'pow-token-name="a" pow-nonce-name="b"';
  const page = await open(t, contact.replace('<tollgate-challenge>', `<tollgate-challenge ${names}>`));
  await page.waitForSelector(ready);
  const entries = await page.$eval('form', (form) => [...new FormData(form as HTMLFormElement).keys()]);
  t.same(entries, ['text', 'a', 'b']);
});

t.test('docs/examples/server-form, also without JavaScript', async (t) => {
  interface ServerForm {
    ready(): Promise<unknown>;
    routing(request: IncomingMessage, response: ServerResponse): void;
    close(): Promise<void>;
  }
  type BuildServerForm = (options: {
    environment: Readonly<Record<string, string | undefined>>;
    deliver: (text: string) => Promise<void>;
  }) => Promise<ServerForm>;

  const example = pathToFileURL(join(projectRoot, 'docs/examples/server-form/app.js')).href;
  const { buildServerForm } = (await import(example)) as { buildServerForm: BuildServerForm };

  /** Starts the example beside the services, on its own origin. @returns one of its pages, and its delivered messages */
  async function open(t: Test, settings: Record<string, string>, options = {}) {
    let app: ServerForm | undefined;
    const server = createServer((request, response) => app?.routing(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = `http://localhost:${(server.address() as AddressInfo).port}`;
    const site = await startFormSite(t, { CORS_ORIGIN: address, ...settings });
    const delivered: string[] = [];
    app = await buildServerForm({
      environment: { ...site.environment, TOLLGATE_URL: site.address },
      deliver: async (text) => void delivered.push(text),
    });
    await app.ready();
    t.teardown(() => app?.close());
    const context = await browser.newContext(options);
    t.teardown(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    return { page, delivered, site, form: `${address}/contact` };
  }

  /** Follows the loaded images. @returns the answer to the newest one, in test mode */
  function watchAnswers(page: Page): () => string {
    let answer = '';
    page.on('response', (response) => {
      answer = response.headers()['x-captcha-answer'] ?? answer;
    });
    return () => answer;
  }

  const noScript = { javaScriptEnabled: false };

  t.test('without JavaScript the image suffices to send the form', async (t) => {
    const { page, delivered, form } = await open(t, { CAPTCHA_NO_SCRIPT: 'image' }, noScript);
    const answer = watchAnswers(page);
    await page.goto(form, { waitUntil: 'load' });
    await page.getByLabel('Your message').fill('first <b>');
    await page.getByLabel('Characters in the image').fill('wrong');
    const next = page.waitForResponse((response) => response.url().endsWith('.png'));
    await page.getByRole('button', { name: 'Send' }).click();
    await next;
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    t.equal(await page.getByLabel('Your message').inputValue(), 'first <b>', 'the typed text is kept');
    t.same(delivered, []);

    await page.getByLabel('Characters in the image').fill(answer().toLowerCase());
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();
    t.same(delivered, ['first <b>']);
  });

  t.test('without JavaScript and without the option the form states its requirements', async (t) => {
    const { page, delivered, form } = await open(t, {}, noScript);
    await page.goto(form);
    await page.locator('noscript p').waitFor();
    t.equal(await page.locator('img').count(), 0);
    await page.getByLabel('Your message').fill('no work');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    t.same(delivered, []);
  });

  t.test('with JavaScript the same form sends work, and no image is loaded', async (t) => {
    const settings = { CAPTCHA_NO_SCRIPT: 'image' };
    const { page, delivered, site, form } = await open(t, settings);
    await page.goto(form);
    await page.getByLabel('Your message').fill('with work');
    await page.waitForSelector(ready);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();
    t.same(delivered, ['with work']);
    t.same(
      site.requested.filter((path) => path.startsWith('/no-script')),
      [],
    );
  });
});
