// Prebuilt file from a classic script tag, as WordPress and tag managers insert it.
import { readBrowserFiles } from '@tollgate/challenge-service/browser/browser-files.js';
import type {} from '@tollgate/client/element';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t from 'tap';
import { startStaticSite } from '../support/static-site.js';

/** Pages of another origin, by path. */
const shopPages: Record<string, string> = {};
const shopHeaders: Record<string, Record<string, string>> = {};
const shop = await startStaticSite({ pages: shopPages, headersOf: shopHeaders });
t.teardown(() => shop.stop());
const site = await startFormSite(t, { CORS_ORIGIN: shop.address });
const service = `${site.address}/api/captcha`;
const browser = await launchBrowser();
t.teardown(() => browser.close());

const form = `<form method="post" action="/contact">
  <input name="text" value="one line">
  <tollgate-challenge></tollgate-challenge>
  <button>Send</button>
</form>`;

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

/** Inline script of a tag manager. */
const inserting = (src: string) => `
  const script = document.createElement('script');
  script.src = ${JSON.stringify(src)};
  document.head.append(script);`;

async function sendsForm(page: Page): Promise<void> {
  await page.waitForSelector(ready);
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
}

t.test('the form works with every kind of classic script tag', async (t) => {
  const tags = {
    blocking: '<script src="/api/captcha/classic.js"></script>',
    async: '<script async src="/api/captcha/classic.js"></script>',
    defer: '<script defer src="/api/captcha/classic.js"></script>',
    'with a query': '<script src="/api/captcha/classic.js?ver=6.8" id="tollgate-js"></script>',
    'of a removed version': '<script src="/api/captcha/v/0123456789abcdef/classic.js"></script>',
    'inserted by a script': `<script>${inserting('/api/captcha/classic.js')}</script>`,
  };
  for (const [name, head] of Object.entries(tags)) {
    site.delivered.length = 0;
    const policy = `default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'`;
    const page = await openPage(t, browser, site.page(form, { head, policy }));
    await sendsForm(page);
    t.match(site.delivered, [{ text: 'one line', powToken: /^\w{40}$/ }], name);
  }
});

t.test('a named version loads the files of that version', async (t) => {
  const folder = `/v/${readBrowserFiles().version}`;
  const head = `<script src="/api/captcha${folder}/classic.js"></script>`;
  const page = await openPage(t, browser, site.page(form, { head }));
  await page.waitForSelector(ready);
  t.strictSame([...new Set(site.requested)], [`${folder}/classic.js`, `${folder}/tollgate.js`, '/pow']);
});

t.test('from another origin it uses its own service, under each policy that allows it', async (t) => {
  const others = `connect-src ${service}/; worker-src blob: ${site.address}`;
  const policies = {
    origin: `script-src 'nonce-own' ${site.address} 'wasm-unsafe-eval'; ${others}`,
    nonce: `script-src 'nonce-own' 'wasm-unsafe-eval'; ${others}`,
    'strict-dynamic': `script-src 'nonce-own' 'strict-dynamic' 'wasm-unsafe-eval'; ${others}`,
  };
  const tag = `<script nonce="own" async src="${service}/classic.js"></script>`;
  const inserted = `<script nonce="own">${inserting(`${service}/classic.js`)}</script>`;
  for (const [name, policy] of Object.entries(policies)) {
    // A script that is inserted without a nonce needs one of the other two.
    for (const head of name === 'nonce' ? [tag] : [tag, inserted]) {
      shopPages['/'] = `<!doctype html><html lang="en"><title>A shop</title>${head}
        <form><tollgate-challenge></tollgate-challenge><button>Send</button></form>`;
      shopHeaders['/'] = { 'content-security-policy': `default-src 'none'; ${policy}` };
      const page = await openPage(t, browser, shop.address);
      await page.waitForSelector(ready);
      const solver = await page.$eval('tollgate-challenge', (element) => element.controller?.state.solver);
      t.match(solver, { path: 'simd', degraded: false }, name);
    }
  }
  t.notOk(
    shop.requested.some((path) => path.includes('captcha')),
    'the page gets no request',
  );
});

t.test('the console reports a script inlined by a plugin', async (t) => {
  const code = await (await fetch(`${service}/classic.js`)).text();
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const policy = `default-src 'self'; script-src 'self' 'unsafe-inline'`;
  await page.goto(site.page(form, { head: `<script>${code}</script>`, policy }));
  await until(() => errors.length > 0, 'the error is reported');
  t.match(errors, [/^Tollgate: classic\.js must be loaded by its own classic <script src>/]);
});
