// Prebuilt file served by challenge-service: one line in a page of the same or another origin.
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
