// Challenges during the page lifecycle in a real browser, with the service on another origin.
import type { ChallengeController } from '@tollgate/client/challenge';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startStaticSite } from '../support/static-site.js';
import { password, startRealService } from './real-service.js';

declare global {
  interface Window {
    challenge: ChallengeController;
    create(options?: object): void;
    isHidden?: boolean;
  }
}

const ada = 'ada@example.com';
/** The prebuilt file is one request in place of thirty per page. */
const folder = new URL('../../', import.meta.url).pathname;
const form = (address: string) => `<!doctype html><title>A form</title><img id="image" alt="">
<script type="module">
import { createChallenge } from '/client/tollgate.js';
window.create = (options) => {
  window.challenge = createChallenge({ baseUrl: '${address}', ...options });
};
create();
</script>`;

const pages: Record<string, string> = { '/elsewhere': '<!doctype html><title>Elsewhere</title>' };
const site = await startStaticSite({ folders: { '/client/': folder }, pages });
t.teardown(site.stop);
const service = await startRealService(t, { CORS_ORIGIN: site.address }, [ada]);
pages['/'] = form(service.address);
const browser = await launchBrowser();
t.teardown(() => browser.close());

/** Paths of the page's challenge requests. */
function watchRequests(page: Page, address = service.address): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === address && pathname.startsWith('/api/captcha')) paths.push(pathname);
  });
  return paths;
}

/** A page whose clock the test controls, and its requests. */
async function openForm(t: Test, path = '/', before?: () => void) {
  const page = await openPage(t, browser, `${site.address}/elsewhere`);
  const requests = watchRequests(page);
  await page.clock.install();
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(site.address + path);
  await page.waitForFunction('window.challenge');
  return { page, requests };
}

const status = (page: Page) => page.evaluate(() => window.challenge.status);
const touch = (page: Page) => page.evaluate(() => window.challenge.touch());
const waitFor = (page: Page, wanted: string) =>
  page.waitForFunction((wanted) => window.challenge.status === wanted, wanted);

/** Simulates a tab in the background: a headless browser reports all of its pages as visible. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((isHidden) => {
    window.isHidden = isHidden;
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (window.isHidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

t.test(
  'an open tab must not raise the price of its own address: at most one challenge in an idle hour',
  async (t) => {
    const { page, requests } = await openForm(t);
    await waitFor(page, 'ready');
    await page.clock.runFor(3_600_000);
    t.equal(await status(page), 'idle');
    t.same(await page.evaluate(() => window.challenge.fields), {});
    t.same(requests, ['/api/captcha/pow']);
    await touch(page);
    await waitFor(page, 'ready');
    t.equal(requests.length, 2);
  },
);

t.test('work is renewed while the form is in use, and shortly after', async (t) => {
  const { page, requests } = await openForm(t);
  for (const expected of [2, 3, 4]) {
    await waitFor(page, 'ready');
    await page.clock.runFor(60_000);
    await touch(page);
    await page.clock.runFor(58_000);
    await waitFor(page, 'ready');
    t.equal(requests.length, expected);
  }
  await page.clock.runFor(3_600_000);
  await page.waitForFunction(() => window.challenge.status !== 'solving');
  await page.clock.runFor(3_600_000);
  t.ok(requests.length <= 5);
  t.equal(await status(page), 'idle');
});

t.test('a hidden page renews nothing; visible again in time, it renews', async (t) => {
  const { page, requests } = await openForm(t);
  await waitFor(page, 'ready');
  await setHidden(page, true);
  await page.clock.runFor(60_000);
  await touch(page);
  await page.clock.runFor(60_000);
  t.equal(await status(page), 'idle');
  await setHidden(page, false);
  await waitFor(page, 'ready');
  t.equal(requests.length, 2, 'touched a minute ago');

  await setHidden(page, true);
  await page.clock.runFor(600_000);
  await setHidden(page, false);
  t.equal(await status(page), 'idle', 'too long ago');
  t.equal(requests.length, 2);
});

t.test('a tab opened in the background starts when it becomes visible', async (t) => {
  const { page, requests } = await openForm(t, '/', () => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
  });
  await page.clock.runFor(600_000);
  t.equal(await status(page), 'idle');
  t.same(requests, []);
  await setHidden(page, false);
  await waitFor(page, 'ready');
  t.equal(requests.length, 1);
});

t.test('after a submission from a page now hidden, nothing is fetched until it is visible', async (t) => {
  const { page, requests } = await openForm(t);
  await page.evaluate(() => window.challenge.take());
  await setHidden(page, true);
  await page.evaluate(() => window.challenge.settle({ captcha_required: false }));
  t.equal(await status(page), 'idle');
  t.equal(requests.length, 1);
  await setHidden(page, false);
  await waitFor(page, 'ready');
  t.equal(requests.length, 2);
});

t.test('after sleep an expired challenge is not sent, even if no timer has run', async (t) => {
  const { page, requests } = await openForm(t);
  await waitFor(page, 'ready');
  const { pow_token } = await page.evaluate(() => window.challenge.fields);
  const now = await page.evaluate(() => Date.now());
  await page.clock.setSystemTime(now + 120_000);
  t.same(await page.evaluate(() => window.challenge.fields), {});
  const fields = await page.evaluate(() => window.challenge.take());
  t.not(fields.pow_token, pow_token);
  t.equal(requests.length, 2);
});

t.test('some key strokes retry after a failure, not each of them', async (t) => {
  const { page, requests } = await openForm(t);
  await waitFor(page, 'ready');
  await page.context().setOffline(true);
  await page.evaluate(() => window.challenge.refresh());
  t.equal(await status(page), 'error');
  const tried = requests.length;
  await page.clock.runFor(4_000);
  await touch(page);
  t.equal(await status(page), 'error');
  await page.clock.runFor(3_600_000);
  t.equal(requests.length, tried, 'nothing is fetched while the form is not in use');
  await page.context().setOffline(false);
  await touch(page);
  await waitFor(page, 'ready');
});

t.test('an expired image stays until the person requests a new one', async (t) => {
  const { page, requests } = await openForm(t);
  await page.evaluate(() => window.challenge.settle({ captcha_required: true }));
  await waitFor(page, 'ready');
  await page.evaluate(() => window.challenge.setAnswer('half an ans'));
  const shown = await page.evaluate(() => window.challenge.state.captcha);
  for (const _ of [1, 2, 3]) {
    await page.clock.runFor(60_000);
    await touch(page);
  }
  await page.waitForFunction(() => window.challenge.status !== 'solving');
  t.same(await page.evaluate(() => window.challenge.state.captcha), { ...shown, expired: true });
  t.equal(requests.filter((path) => path === '/api/captcha').length, 1);
  await page.evaluate(() => window.challenge.newImage());
  const next = await page.evaluate(() => window.challenge.state.captcha);
  t.match(next, { kind: 'image', expired: false });
  t.equal(await status(page), 'ready');
});

t.test('expired effort is fetched again while the form is in use', async (t) => {
  const { page, requests } = await openForm(t);
  // It is not submitted, because the service requires four million hashes at least.
  await page.route('**/api/captcha?preset=effort*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), part_difficulty: 8 } });
  });
  await page.evaluate(async () => {
    await window.challenge.settle({ captcha_required: true, captcha_alternatives: ['effort'] });
    await window.challenge.chooseAlternative('effort');
  });
  await waitFor(page, 'ready');
  const { captcha } = await page.evaluate(() => window.challenge.fields);
  t.match(captcha, /^\d+(\.\d+){15}$/);
  await setHidden(page, true);
  await page.clock.runFor(600_000);
  await setHidden(page, false);
  t.equal(await status(page), 'idle');
  t.equal(await page.evaluate(() => window.challenge.state.captcha), null);
  const asked = requests.length;
  await touch(page);
  await waitFor(page, 'ready');
  t.not((await page.evaluate(() => window.challenge.fields)).captcha, captcha);
  t.same(requests.slice(asked), ['/api/captcha', '/api/captcha/pow']);
});

t.test('a page restored from the back/forward cache has new challenges', async (t) => {
  const keeping = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  t.teardown(() => keeping.close());
  const page = await openPage(t, keeping, site.address);
  await page.waitForFunction(() => window.challenge?.status === 'ready');
  const first = await page.evaluate(() => {
    Object.assign(window, { isSamePage: true });
    return window.challenge.fields;
  });
  await page.goto(`${site.address}/elsewhere`);
  await page.goBack({ waitUntil: 'commit' });
  t.equal(await page.evaluate('window.isSamePage'), true, 'the page was kept');
  const second = await page.evaluate(() => window.challenge.take());
  t.match(second, { pow_token: /^\w{40}$/, pow_nonce: /^\d+$/ });
  t.not(second.pow_token, first.pow_token);
});

t.test('from another origin: the image is displayed, answered, and accepted', async (t) => {
  const { page } = await openForm(t);
  const logIn = (given: string) =>
    page.evaluate(
      async ({ address, email, given }) => {
        const response = await window.challenge.submit((fields) =>
          fetch(`${address}/login`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ email, password: given, ...fields }),
          }),
        );
        return response.status;
      },
      { address: service.address, email: ada, given },
    );
  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
  for (const _ of [1, 2]) t.equal(await logIn('wrong'), 422);
  const { answer } = await (await issued).json();
  await waitFor(page, 'ready');
  const width = await page.evaluate(async (answer) => {
    const { captcha } = window.challenge.state;
    const image = document.querySelector('img') as HTMLImageElement;
    if (captcha?.kind === 'image') image.src = captcha.url;
    await image.decode();
    window.challenge.setAnswer(answer);
    return image.naturalWidth;
  }, answer);
  t.ok(width > 0);
  t.equal(await logIn(password), 200);
  t.equal(await page.evaluate(() => window.challenge.state.captchaRequired), false);
});

t.test('from another origin: Retry-After is readable', async (t) => {
  const limited = await startRealService(t, { CORS_ORIGIN: site.address, RATE_LIMIT_POW: '1' });
  const { page } = await openForm(t);
  const requests = watchRequests(page, limited.address);
  await page.evaluate((baseUrl) => window.create({ baseUrl }), limited.address);
  await page.evaluate(() => window.challenge.take());
  await page.evaluate(() => window.challenge.settle(null));
  await waitFor(page, 'error');
  const told = await page.evaluate(() => {
    const { error, retryAtMs } = window.challenge.state;
    const seconds = (error as { retryAfterSeconds?: number }).retryAfterSeconds ?? 0;
    return { seconds, waitMs: (retryAtMs ?? 0) - Date.now() };
  });
  t.ok(told.seconds > 0 && told.seconds <= 60);
  t.ok(told.waitMs > 0 && told.waitMs <= told.seconds * 1000);
  await touch(page);
  await page.clock.runFor(61_000);
  t.equal(await page.evaluate(() => window.challenge.state.retryAtMs), null);
  t.equal(requests.length, 2, 'it does not retry automatically');
});
