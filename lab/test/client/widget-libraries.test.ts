// The vendors' client libraries, unmodified: they load our scripts instead of the vendors', with no difference for users.
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openVisit, startWidgetSite } from '@tollgate/tests/browser/widget-site.js';
import type { Page } from 'playwright-core';
import t from 'tap';
import { bundlePage, vendorScripts } from './page-bundle.js';
import type {} from './widget-page.js';

const site = await startWidgetSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());
const visit = await openVisit(t, browser);
site.script('/clients.js', await bundlePage(new URL('./widget-page.js', import.meta.url)));
for (const [address, path] of vendorScripts) {
  await visit.context.route(address, async (route) =>
    route.fulfill({ response: await route.fetch({ url: site.service + path }) }),
  );
}
const pageAddress = site.page(`<!doctype html><html lang="en"><title>A shop</title>
  <script>service = ${JSON.stringify(site.service)}; told = []</script>
  <form><div id="app"></div></form><script type="module" src="/clients.js"></script>`);

const open = (library: string) => visit.open(`${pageAddress}?${library}`);
const call = (page: Page, method: string) =>
  page.evaluate((method) => globalThis.methods[method]?.(), method);
const tokenOf = async (page: Page, times = 1) => {
  await page.waitForFunction((times) => told.length >= times, times);
  return String((await page.evaluate(() => told)).at(-1));
};

t.afterEach(async () => {
  for (const page of visit.context.pages()) await page.close();
  t.same(visit.errors.splice(0), [], 'no page throws');
});

t.test('react-google-recaptcha renders, and its reset starts again', async (t) => {
  const page = await open('react-google-recaptcha');
  const first = await tokenOf(page);
  t.equal(await call(page, 'value'), first);
  t.equal(await page.$eval('form', (form) => new FormData(form).get('g-recaptcha-response')), first);
  await call(page, 'reset');
  const second = await tokenOf(page, 2);
  t.not(second, first);
  t.match(await site.verify('shop', second), { success: true, hostname: 'localhost' });
});

t.test('react-google-recaptcha-v3 executes, and unmounts', async (t) => {
  const page = await open('react-google-recaptcha-v3');
  await page.waitForSelector('output');
  const token = String(await call(page, 'execute'));
  t.match(await site.verify('shop', token), { success: true, action: 'pay/card', score: 0.9 });
  await call(page, 'unmount');
  t.ok(await page.evaluate(() => document.body.isConnected));
});

t.test('reaptcha renders once it finds the interface', async (t) => {
  // It loads nothing if the page has a script of this kind.
  const page = await open('reaptcha');
  t.match(await site.verify('shop', await tokenOf(page)), { success: true });
});

t.test('recaptcha-v3 executes a widget without a container', async (t) => {
  const page = await open('recaptcha-v3');
  const [one, two] = [String(await call(page, 'execute')), String(await call(page, 'execute'))];
  t.not(one, two);
  t.match(await site.verify('shop', two), { success: true, action: 'first' });
});

t.test('vue3-recaptcha2 renders', async (t) => {
  t.match(await site.verify('shop', await tokenOf(await open('vue3-recaptcha2'))), { success: true });
});

t.test('@hcaptcha/react-hcaptcha: token and key in the callback and in a promise', async (t) => {
  const page = await open('react-hcaptcha');
  await page.waitForFunction(() => told.length === 2);
  const [token, key] = (await page.evaluate(() => told)) as [string, string];
  t.same(await call(page, 'response'), [token, key]);
  const { response } = (await call(page, 'execute')) as { response: string };
  t.not(response, token);
  t.match(await site.verify('shop', response), { success: true, credit: false });
});

t.test('@hcaptcha/vanilla-hcaptcha: token and key in its event', async (t) => {
  const page = await open('vanilla-hcaptcha');
  await page.waitForFunction(() => told.length === 2);
  const [token, key] = (await page.evaluate(() => told)) as [string, string];
  t.ok(key.length > 0);
  t.match(await site.verify('shop', token), { success: true, credit: false });
});

t.test('@marsidev/react-turnstile finds the script of the page', async (t) => {
  const page = await open('react-turnstile');
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.id = 'cf-turnstile-script';
    script.src = `${service}/turnstile/v0/api.js?render=explicit`;
    document.head.append(script);
  });
  const token = await tokenOf(page);
  t.match(await site.verify('shop', token), { success: true, action: 'sign-up', cdata: 'order-7' });
});

t.test('vue-turnstile renders, and its reset starts again', async (t) => {
  const page = await open('vue-turnstile');
  const first = await tokenOf(page);
  await call(page, 'reset');
  const second = await tokenOf(page, 2);
  t.not(second, first);
  t.match(await site.verify('shop', second), { success: true });
});
