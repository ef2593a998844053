// The price in the demo page: it follows the account, and better work is sent without the person's doing.
import { type Browser, chromium, type Page, type Response } from 'playwright-core';
import t, { type Test } from 'tap';
import { type System, startSystem } from '../src/system.js';
import { solve } from './solving.js';

const password = 'a password of these tests';
const emails = ['first@example.com', 'second@example.com', 'third@example.com'] as const;

let system: System;
let browser: Browser;

t.before(async () => {
  system = await startSystem({
    environment: {
      DATA_DIR: t.testdir(),
      GATEWAY_PORT: '0',
      SESSION_PORT: '0',
      SESSION_ADMIN_PORT: '0',
      CHALLENGE_PORT: '0',
      CHALLENGE_ADMIN_PORT: '0',
      CAPTCHA_TEST_MODE: 'true',
      CAPTCHA_MIN_SECONDS: '0',
      CAPTCHA_POW_DIFFICULTY: '4',
    },
    accounts: emails.map((email) => ({ email, password })),
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
});

t.teardown(async () => {
  await browser?.close();
  await system?.stop();
});

interface Watched {
  readonly page: Page;
  /** The codes of all answers to a log-in, 200 for a success. */
  readonly logIns: () => Promise<(string | 200)[]>;
  /** How often the page has asked for an image. */
  readonly images: () => number;
}

async function openPage(t: Test): Promise<Watched> {
  const context = await browser.newContext({ locale: 'en-GB' });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => t.fail(`error in the page: ${error.message}`));
  const codes: Promise<string | 200>[] = [];
  let images = 0;
  page.on('response', (response: Response) => {
    const { pathname } = new URL(response.url());
    if (pathname === '/api/captcha') images += 1;
    if (pathname !== '/login') return;
    codes.push(response.ok() ? Promise.resolve(200) : response.json().then(({ code }) => code));
  });
  await page.goto(system.address);
  await page.waitForSelector('#work[data-status="ready"]');
  return { page, logIns: () => Promise.all(codes), images: () => images };
}

/** Submits the form and waits for the page to have dealt with the answer. */
async function signIn(page: Page, email: string, word: string): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', word);
  await page.waitForSelector('#submit:enabled');
  await page.evaluate("document.getElementById('message').dataset.kind = ''");
  await page.click('#submit');
  await page.waitForSelector('#message:not([data-kind=""])');
}

/** A failed log-in of somebody else, from another address, at whatever price the account has. */
async function failElsewhere(email: string, failures: number): Promise<void> {
  let scope = '';
  for (let failed = 0; failed < failures; ) {
    const { token, salt, difficulty } = await issue(`/pow${scope}`);
    const image = await issue('');
    const answer = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.99' },
      body: JSON.stringify({
        ...{ email, password: 'wrong', pow_token: token, pow_nonce: solve(salt, difficulty) },
        ...{ captcha_token: image.token, captcha: image.answer },
      }),
    });
    const body = (await answer.json()) as { code: string; pow_scope: string };
    scope = `?scope=${body.pow_scope}`;
    if (body.code === 'login_failed') failed += 1;
    else if (body.code !== 'pow_insufficient') throw new Error(`the log-in answered ${body.code}`);
  }
}

interface Issued {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
  readonly answer: string;
}

async function issue(path: string): Promise<Issued> {
  return (await (await fetch(`${system.address}/api/captcha${path}`)).json()) as Issued;
}

async function shownBits(page: Page): Promise<string | undefined> {
  await page.waitForSelector('#work[data-status="ready"]');
  return (await page.textContent('#work-figures'))?.split(' ·')[0];
}

t.test('the difficulty shown rises with each failure, and the log-in still succeeds', async (t) => {
  const { page, logIns } = await openPage(t);
  const [email] = emails;
  t.equal(await shownBits(page), '4 bits');
  await signIn(page, email, 'wrong one');
  t.equal(await shownBits(page), '6 bits');
  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha'));
  await signIn(page, email, 'wrong two');
  t.equal(await shownBits(page), '8 bits');
  const { answer } = (await (await issued).json()) as Issued;
  await page.waitForSelector('#image-part:not([hidden])');
  await page.fill('#captcha', answer);
  await signIn(page, email, password);
  await page.waitForSelector('#profile:not([hidden])');
  t.strictSame(await logIns(), ['login_failed', 'login_failed', 200]);
  await page.click('#log-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  t.equal(await shownBits(page), '4 bits', 'a success has made the account cheap again');
});

t.test('work that is not enough any more is done again by itself, once', async (t) => {
  const { page, logIns, images } = await openPage(t);
  const email = emails[1];
  await failElsewhere(email, 1);
  await signIn(page, email, password);
  await page.waitForSelector('#profile:not([hidden])');
  t.strictSame(await logIns(), ['pow_insufficient', 200]);
  t.equal(images(), 0);
});

t.test('better work is sent with the same image', async (t) => {
  const { page, logIns, images } = await openPage(t);
  const email = emails[2];
  await signIn(page, email, 'wrong one');
  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha'));
  await signIn(page, email, 'wrong two');
  const { answer } = (await (await issued).json()) as Issued;
  t.equal(await shownBits(page), '8 bits');
  await failElsewhere(email, 3);
  await page.fill('#captcha', answer);
  await signIn(page, email, password);
  await page.waitForSelector('#profile:not([hidden])');
  t.strictSame(await logIns(), ['login_failed', 'login_failed', 'pow_insufficient', 200]);
  t.equal(images(), 1, 'the person has read one image');
});
