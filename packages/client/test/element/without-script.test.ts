// docs/examples/server-form in a browser: with JavaScript, and without it by the image only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

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
const browser = await launchBrowser();
t.teardown(() => browser.close());

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
