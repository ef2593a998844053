// Pages that need a change by a developer: visitors get a correct message, developers one console line.

import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { imageForm, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startStaticSite } from '../support/static-site.js';

const other = await startStaticSite({ pages: {} });
t.teardown(() => other.stop());
const site = await startFormSite(t, { CAPTCHA_TEST_MODE: 'true' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

/** Console lines of the package in a page and its frames. */
function listen(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.text().startsWith('Tollgate:')) said.push(message.text());
  });
  return said;
}

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
