// The demo page in a real browser, in front of the real system on the embedded store.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type System, startSystem } from '../src/system.js';
import { freePorts } from './launcher.js';

const browserArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let system: System;
let browser: Browser;

t.before(async () => {
  system = await startSystem({
    environment: {
      DATA_DIR: t.testdir(),
      ...freePorts,
      CAPTCHA_TEST_MODE: 'true',
      CAPTCHA_MIN_SECONDS: '0',
    },
    accounts: [{ email: 'second@example.com', password: 'a second password' }],
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: browserArguments,
  });
});

t.teardown(async () => {
  await browser?.close();
  await system?.stop();
});

/** A page of a browser that has never been here; the test fails on any error in the page or breach of its policy. */
async function openPage(t: Test): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ locale: 'en-GB' });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => t.fail(`error in the page: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) t.fail(message.text());
  });
  await page.goto(system.address);
  return { page, context };
}

async function signIn(page: Page, password: string, email = 'demo@example.com'): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', password);
  await page.waitForSelector('#submit:enabled');
  const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
  await page.click('#submit');
  await answered;
}

t.test('the demo account signs in, a reload keeps the session, a log-out ends it', async (t) => {
  const { page, context } = await openPage(t);
  await page.waitForSelector('#work[data-status="ready"]');
  t.equal(await page.inputValue('#email'), 'demo@example.com');
  t.match(await page.textContent('#work-figures'), /^16 bits · [\d,]+ hashes · [\d.]+ million\/s$/);

  await signIn(page, system.demo?.password ?? '');
  await page.waitForSelector('#profile:not([hidden])');
  t.equal(await page.textContent('#profile-email'), 'demo@example.com');
  t.match(await page.textContent('#token-text'), /^1[45]:\d\d left$/);
  t.equal(await page.inputValue('#password'), '', 'the password does not stay in the page');
  const [cookie] = await context.cookies(`${system.address}/refresh`);
  t.match(cookie, {
    name: 'refreshToken',
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
    path: '/refresh',
  });
  const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
  t.equal(kept, '[{},{},""]');

  await page.reload();
  await page.waitForSelector('#profile:not([hidden])');
  t.equal(await page.textContent('#profile-email'), 'demo@example.com');

  await page.click('#log-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  t.equal(await page.textContent('#message'), 'You are logged out.');
  await page.reload();
  await page.waitForSelector('#sign-in:not([hidden])');
  t.same(await context.cookies(`${system.address}/refresh`), []);
});

t.test('after two wrong passwords the image is shown, and the right answer to it is let in', async (t) => {
  const { page } = await openPage(t);
  const email = 'second@example.com';
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn(page, 'wrong password one', email);
  await page.waitForSelector('#message[data-kind="bad"]');
  t.equal(await page.isVisible('#image'), false);

  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha'));
  const drawn = page.waitForResponse((response) => response.url().endsWith('.png'));
  await signIn(page, 'wrong password two', email);
  const { answer } = (await (await issued).json()) as { answer: string };
  await page.waitForSelector('#image-part:not([hidden])');
  t.equal((await drawn).status(), 200);
  for (const [name, value] of [
    ['autocomplete', 'off'],
    ['autocapitalize', 'off'],
    ['autocorrect', 'off'],
    ['spellcheck', 'false'],
  ] as const) {
    t.equal(await page.getAttribute('#captcha', name), value);
  }

  await page.fill('#captcha', answer);
  await signIn(page, 'a second password', email);
  await page.waitForSelector('#profile:not([hidden])');
  t.equal(await page.textContent('#profile-email'), email);
});

t.test('a new image can be asked for, and an empty form is not sent', async (t) => {
  const { page } = await openPage(t);
  await page.waitForSelector('#submit:enabled');
  await page.fill('#email', '');
  await page.click('#submit');
  t.equal(await page.getAttribute('#email', 'aria-invalid'), 'true');
  t.equal(await page.textContent('#password-error'), 'Please fill this in.');

  for (const password of ['wrong password one', 'wrong password two']) {
    await signIn(page, password, 'nobody@example.com');
    await page.waitForSelector('#message[data-kind="bad"]');
  }
  await page.waitForSelector('#image[src]');
  const first = await page.getAttribute('#image', 'src');
  await page.click('#new-image');
  await page.waitForSelector(`#image:not([src="${first}"])`);
  t.match(await page.getAttribute('#image', 'src'), /\/api\/captcha\/[A-Za-z0-9]{40}\.png$/);
});

t.test('two tabs share the session: both are restored by their own refresh', async (t) => {
  const { page, context } = await openPage(t);
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn(page, system.demo?.password ?? '');
  await page.waitForSelector('#profile:not([hidden])');
  const second = await context.newPage();
  await Promise.all([second.goto(system.address), page.reload()]);
  for (const tab of [page, second]) {
    await tab.waitForSelector('#profile:not([hidden])');
    t.equal(await tab.textContent('#profile-email'), 'demo@example.com');
  }
});
