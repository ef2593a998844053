// Prebuilt file served by challenge-service: one line in a page of the same or another origin, as a module or as a
// classic script, as WordPress and tag managers insert it.

import { readBrowserFiles } from '@tollgate/challenge-service/browser/browser-files.js';
import type {} from '@tollgate/client/element';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { ready, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page, Request } from 'playwright-core';
import t from 'tap';
import { startStaticSite } from '../support/static-site.js';

/** Pages of another origin, by path; the file's address is known once the site has started. */
const shopPages: Record<string, string> = {};
const policyOf = (address: string, workers: string) =>
  `default-src 'none'; script-src ${address} 'wasm-unsafe-eval'; connect-src ${address}; worker-src ${workers}`;
const shopHeaders: Record<string, Record<string, string>> = {};
const shop = await startStaticSite({ pages: shopPages, headersOf: shopHeaders });
t.teardown(() => shop.stop());
const site = await startFormSite(t, {
  CORS_ORIGIN: shop.address,
  CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
});
const browser = await launchBrowser();
t.teardown(() => browser.close());

const head = '<script type="module" src="/api/captcha/tollgate.js"></script>';
const form = `<form method="post" action="/contact">
  <input name="text" value="one line">
  <tollgate-challenge></tollgate-challenge>
  <button>Send</button>
</form>`;

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const solverOf = (page: Page) =>
  page.$eval('tollgate-challenge', (element) => element.controller?.state.solver);

const service = `${site.address}/api/captcha`;

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

t.test('a form needs one line: ready after three requests and 40 kB at most', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  const requests: Request[] = [];
  page.on('requestfinished', (request) => requests.push(request));
  await page.goto(site.page(form, { head }));
  await page.waitForSelector(ready);
  t.match(await solverOf(page), { path: 'simd', degraded: false });
  t.strictSame(site.requested, ['/tollgate.js', '/pow'], 'the workers load the file from the cache');
  const own = requests.filter((request) => request.url().includes('/api/captcha'));
  const sizes = await Promise.all(own.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, size) => sum + size.responseHeadersSize + size.responseBodySize, 0);
  t.comment(`${own.length} requests, ${bytes} bytes`);
  t.ok(own.length >= 2 && own.length <= 3, `${own.length} requests`);
  t.ok(bytes > 20_000 && bytes < 40_000, `${bytes} bytes`);
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ text: 'one line', powToken: /^\w{40}$/ }]);
});

t.test('language texts are loaded from the same folder', async (t) => {
  // A removed version redirects to the current one.
  const gone = '<script type="module" src="/api/captcha/v/0123456789abcdef/tollgate.js"></script>';
  const page = await openPage(t, browser, site.page(form, { head: gone, root: 'lang="fr"' }));
  await page.waitForSelector(ready);
  await page.waitForSelector('text=Terminé.');
  t.ok(site.requested.includes('/tollgate/fr.js'), site.requested.join(' '));
});

t.test('only pages that request HashWX load its solver', async (t) => {
  const asking = form.replace('<tollgate-challenge>', '<tollgate-challenge algorithms="hashwx-1 sha256">');
  const page = await openPage(t, browser, site.page(asking, { head }));
  await page.waitForSelector(ready);
  t.match(await solverOf(page), { path: 'compiled', degraded: false });
  t.strictSame([...new Set(site.requested.map((url) => url.replace(/\?.*/, '')))].sort(), [
    '/pow',
    '/tollgate.js',
    '/tollgate/rare.js',
  ]);
  await page.click('form > button:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ powNonce: /^\d+(?:\.\d+){3}$/ }], 'the application accepts its solution');
});

t.test('it works in an isolated page, without blob:', async (t) => {
  const headers = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'same-origin',
  };
  const page = await openPage(t, browser, site.page(form, { head, headers }));
  await page.waitForSelector(ready);
  t.equal(await page.evaluate(() => crossOriginIsolated), true);
  t.match(await solverOf(page), { path: 'simd', degraded: false });
});

t.test('a page of another origin loads it, and its elements use the service of the file', async (t) => {
  const said: string[] = [];
  const open = async (path: string, policy: string, expectsViolations = false) => {
    shopPages[path] = `<!doctype html><html lang="en"><title>A shop</title>
      <script type="module" src="${site.address}/api/captcha/tollgate.js"></script>
      <form><tollgate-challenge></tollgate-challenge><button>Send</button></form>`;
    shopHeaders[path] = { 'content-security-policy': policy };
    const page = await openPage(t, browser, 'about:blank', { expectsViolations });
    page.on('console', (message) => said.push(message.text()));
    await page.goto(shop.address + path);
    await page.waitForSelector(ready);
    return solverOf(page);
  };
  const workers = await open('/with-blob', policyOf(site.address, `blob: ${site.address}`));
  t.match(workers, { path: 'simd', degraded: false }, 'workers start from blob:');
  t.same(said, []);
  const none = await open('/without-blob', policyOf(site.address, "'none'"), true);
  t.match(none, { path: 'simd', workers: 0, degraded: true }, 'without it the main thread does the work');
  const warns = () => said.some((text) => text.includes('Tollgate: proof of work is slower here'));
  // Console lines arrive late.
  await until(warns, 'the console reports it');
  t.ok(warns(), said.join('\n'));
  t.same(
    shop.requested.filter((path) => path.includes('captcha')),
    [],
    'the page gets no request',
  );
});

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
