// The price on the demo page: it is shown, follows the account, and better work is sent automatically.
// Then the page in several tabs and browsers, and as shipped, with other names.

import { shippedPage } from '@tollgate/tools/demo/demo-page.js';
import type { Page, Request, Response } from 'playwright-core';
import t, { type Test } from 'tap';
import { solve } from '../solving.js';
import {
  fail,
  failUntilImage,
  openDemo,
  submit,
  visit,
  waitForAccount,
  waitForForm,
} from './demo-page-visit.js';

const password = 'a password of these tests';
const emails = [
  'first@example.com',
  'second@example.com',
  'third@example.com',
  'fourth@example.com',
  'fifth@example.com',
] as const;

const { system, browser } = await openDemo(t, { accounts: emails.map((email) => ({ email, password })) });

interface Watched {
  readonly page: Page;
  /** The codes of all login responses, 200 for a success. */
  readonly logIns: () => Promise<(string | 200)[]>;
  /** The number of the page's image requests. */
  readonly images: () => number;
}

async function watch(t: Test): Promise<Watched> {
  const { page } = await visit(t, browser, system);
  const codes: Promise<string | 200>[] = [];
  let images = 0;
  page.on('response', (response: Response) => {
    const { pathname, search } = new URL(response.url());
    if (pathname === '/api/captcha' && search === '?hint=1') images += 1;
    if (pathname !== '/login') return;
    codes.push(response.ok() ? Promise.resolve(200) : response.json().then(({ code }) => code));
  });
  await waitForForm(page);
  return { page, logIns: () => Promise.all(codes), images: () => images };
}

/** Somebody else's failed login, from another address, at the account's current price. */
async function failElsewhere(email: string, failures: number): Promise<void> {
  let scope = '';
  for (let failed = 0; failed < failures; ) {
    const { token, salt, difficulty } = await issue(`/pow${scope}`);
    const image = await issue('');
    const answer = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.99' },
      body: JSON.stringify({
        email,
        password: 'wrong',
        pow_token: token,
        pow_nonce: solve({ salt, difficulty }),
        captcha_token: image.token,
        captcha: image.answer,
      }),
    });
    const body = (await answer.json()) as { code: string; pow_scope: string };
    scope = `?scope=${body.pow_scope}`;
    if (body.code === 'login_failed') failed += 1;
    else if (body.code !== 'pow_insufficient') throw new Error(`the login returned ${body.code}`);
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

const waitForBits = (page: Page, bits: number) => page.locator(`#bits:text-is("${bits}")`).waitFor();
const answerField = (page: Page) => page.getByRole('textbox', { name: 'Characters in the image' });

t.test('the price shown rises with each failure, and the login still succeeds', async (t) => {
  const { page, logIns } = await watch(t);
  const [email] = emails;
  await waitForBits(page, 4);
  t.equal(await page.isVisible('#raised'), false);
  await fail(page, email);
  await waitForBits(page, 6);
  t.equal(await page.textContent('#raised'), '4 times the first price');
  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
  await fail(page, email);
  await waitForBits(page, 8);
  t.equal(await page.textContent('#raised'), '16 times the first price');
  t.equal(
    await page.getAttribute('#zeros', 'aria-label'),
    'The hash must begin with 8 zero bits, of 24 at most',
  );
  t.match(await page.textContent('#price-words'), '256 tries on average');
  const { answer } = (await (await issued).json()) as Issued;
  await answerField(page).fill(answer);
  await submit(page, email, password);
  await waitForAccount(page, email);
  t.strictSame(await logIns(), ['login_failed', 'login_failed', 200]);
  await page.click('#log-out');
  await waitForBits(page, 4);
  t.equal(await page.isVisible('#raised'), false, 'a success resets the price');
});

t.test('insufficient work is repeated automatically, once', async (t) => {
  const { page, logIns, images } = await watch(t);
  const email = emails[1];
  await failElsewhere(email, 1);
  await submit(page, email, password);
  await waitForAccount(page, email);
  t.strictSame(await logIns(), ['pow_insufficient', 200]);
  t.equal(images(), 0);
});

t.test('an account that requires an image immediately: the page requests only the image', async (t) => {
  const { page, logIns } = await watch(t);
  const email = emails[4];
  await failElsewhere(email, 3);
  const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
  await submit(page, email, password);
  const { answer } = (await (await issued).json()) as Issued;
  await page.locator('#word:text-is("One more step: the image below.")').waitFor();
  t.equal(await page.textContent('#notice'), '', 'the element has shown it');
  t.equal(await page.locator('.field-error:not(:empty)').count(), 0);
  await answerField(page).fill(answer);
  await submit(page, email, password);
  await waitForAccount(page, email);
  t.strictSame(await logIns(), ['pow_insufficient', 200]);
});

t.test('better work is sent with the same image', async (t) => {
  const { page, logIns, images } = await watch(t);
  const email = emails[2];
  const answer = await failUntilImage(page, email);
  await waitForBits(page, 8);
  await failElsewhere(email, 3);
  await answerField(page).fill(answer);
  await submit(page, email, password);
  await waitForAccount(page, email);
  t.strictSame(await logIns(), ['login_failed', 'login_failed', 'pow_insufficient', 200]);
  t.equal(images(), 1, 'the user has solved one image');
});

t.test('a user who cannot read the image has the device work instead', async (t) => {
  const { page, logIns } = await watch(t);
  const email = emails[3];
  await failUntilImage(page, email);
  await page.getByRole('button', { name: /let my device work/ }).click();
  await page.waitForSelector('#parts:not([hidden])');
  t.equal(await page.locator('#parts span').count(), 16);
  // Sent when the work is done, without user action.
  await submit(page, email, password);
  await waitForAccount(page, email);
  t.strictSame(await logIns(), ['login_failed', 'login_failed', 200]);
  // The work and its replacement for the image are solved concurrently: either may be done first.
  const newest = (await page.locator('#log .work-done').allTextContents()).slice(0, 2).sort();
  t.match(newest[0], /^solved 16 × 18 bits ≈ 4,194,304 hashes/);
  t.match(newest[1], /^solved 8 bits/);
});

t.test('a slow solver is clearly reported', async (t) => {
  const { page } = await visit(t, browser, system, { script: 'delete globalThis.Worker' });
  await waitForForm(page);
  await page.waitForSelector('#degraded:not([hidden])');
  t.match(await page.textContent('#degraded'), 'no worker could be started');
  t.equal(await page.textContent('#workers'), 'none');
});

t.test('the device can be measured, and a form that requires work goes first', async (t) => {
  const { page } = await watch(t);
  await page.click('#measure');
  await page.waitForSelector('#measure[aria-disabled="true"]');
  await fail(page, 'nobody@example.com');
  await waitForBits(page, 6);
  await page.locator('#measure:text-is("Measure this device")').waitFor();
  t.equal(await page.getAttribute('#measure', 'aria-disabled'), 'false');
});

t.test(
  'progress is drawn at most ten times a second, because drawing takes time from the work',
  async (t) => {
    const { page } = await watch(t);
    // The page's own clock: an observer is called later, the more so on a busy machine.
    await page.evaluate(`
    globalThis.drawnMs = [];
    const now = performance.now.bind(performance);
    let toldMs = 0;
    performance.now = () => (toldMs = now());
    new MutationObserver(() => drawnMs.push(toldMs))
      .observe(document.getElementById('tried'), { childList: true });
  `);
    await page.click('#measure');
    await page.waitForSelector('#measure[aria-disabled="true"]');
    await page.waitForSelector('#measure[aria-disabled="false"]');
    const drawnMs = (await page.evaluate('drawnMs')) as number[];
    t.ok(drawnMs.length > 1, `${drawnMs.length} drawings`);
    const gapsMs = drawnMs.slice(1).map((ms, at) => ms - drawnMs[at]!);
    t.ok(Math.min(...gapsMs) >= 100, `${Math.min(...gapsMs)} ms apart`);
  },
);

// The last test with this system: it raises the price of the address.
t.test('a price raised by requests is not attributed to wrong passwords', async (t) => {
  for (let request = 0; request < 20; request += 1) await issue('/pow');
  const { page } = await watch(t);
  const words = page.locator('#try-words');
  t.match(await words.textContent(), /many challenges or wrong passwords came from this address/);
  await fail(page, 'unheard@example.com');
  await page.locator('#try-words:has-text("Get the password wrong once more.")').waitFor();
});

t.test('in several tabs and browsers, a session ended in one is over in the others', async (t) => {
  const emails = [
    'tabs@example.com',
    'everywhere@example.com',
    'list@example.com',
    'others@example.com',
  ] as const;
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

  const { system } = await openDemo(t, {
    browser,
    accounts: emails.map((email) => ({ email, password })),
  });

  /** A user logs in with another browser. */
  async function signIn(t: Parameters<typeof visit>[0], email: string, userAgent?: string) {
    const opened = await visit(t, browser, system, userAgent === undefined ? {} : { userAgent });
    await waitForForm(opened.page);
    await submit(opened.page, email, password);
    await waitForAccount(opened.page, email);
    return opened;
  }

  t.test('tabs share the session: a second one has it, and a login in one reaches the other', async (t) => {
    const [email] = emails;
    const { page, openTab } = await signIn(t, email);
    const second = await openTab();
    await waitForAccount(second, email);
    await second.click('#log-out');
    for (const tab of [page, second]) await waitForForm(tab);
    await submit(page, email, password);
    for (const tab of [page, second]) await waitForAccount(tab, email);
  });

  t.test('a logout everywhere reaches the other tab and the other browser', async (t) => {
    const email = emails[1];
    const elsewhere = await signIn(t, email, firefox);
    const { page, openTab } = await signIn(t, email);
    const second = await openTab();
    await waitForAccount(second, email);
    await page.click('#log-out-everywhere');
    for (const tab of [page, second]) {
      await waitForForm(tab);
      t.equal(await tab.textContent('#notice'), 'You are logged out.');
    }
    await elsewhere.page.click('#call');
    await waitForForm(elsewhere.page);
    t.match(await elsewhere.page.textContent('#notice'), 'The session was ended from elsewhere.');
  });

  t.test('the list names every browser, and ends another session at once', async (t) => {
    const email = emails[2];
    const elsewhere = await signIn(t, email, firefox);
    const { page } = await signIn(t, email);
    const names = page.locator('#sessions strong');
    await names.nth(1).waitFor();
    t.same(await names.allTextContents(), ['Chrome on Linux', 'Firefox on Windows']);
    t.equal(await page.locator('#sessions li').first().locator('.chip').textContent(), 'this browser');
    await page.getByRole('button', { name: 'End the session: Firefox on Windows' }).click();
    await page.waitForSelector('#sessions-title:focus');
    await page.locator('#notice[data-kind="good"]').waitFor();
    await names.nth(1).waitFor({ state: 'detached' });
    t.equal(await page.isVisible('#end-others'), false);
    await elsewhere.page.click('#call');
    await waitForForm(elsewhere.page);
  });

  t.test('all other sessions can be ended together', async (t) => {
    const email = emails[3];
    const others = [await signIn(t, email, firefox), await signIn(t, email, firefox)];
    const { page } = await signIn(t, email);
    await page.locator('#sessions li').nth(2).waitFor();
    const names = ['Chrome on Linux', 'Firefox on Windows', 'Firefox on Windows (2)'];
    t.same(await page.locator('#sessions strong').allTextContents(), names);
    for (const name of names.slice(1)) {
      const button = page.getByRole('button', { name: `End the session: ${name}`, exact: true });
      t.equal(await button.count(), 1, 'two sessions of one browser had buttons of one name');
    }
    await page.click('#end-others');
    await page.locator('#sessions li').nth(1).waitFor({ state: 'detached' });
    t.equal(await page.textContent('#notice'), 'All other sessions are over.');
    for (const other of others) {
      await other.page.reload();
      await waitForForm(other.page);
    }
  });
});

t.test(
  'as shipped, module by module, with another challenge path and other names of all four fields',
  async (t) => {
    const demo = 'demo@example.com';
    const path = '/challenges/v1';

    const { system } = await openDemo(t, {
      browser,
      page: shippedPage,
      environment: {
        CAPTCHA_ROUTES_PREFIX: 'challenges/v1',
        CAPTCHA_POW_FIELDS_TOKEN: 'work.id',
        CAPTCHA_POW_FIELDS_NONCE: 'work.nonce',
        CAPTCHA_FIELDS_TOKEN: 'image-id',
        CAPTCHA_FIELDS_ANSWER: 'image-text',
      },
    });

    const password = () => system.demo?.password ?? '';

    t.test('a login sends the work under its field names', async (t) => {
      const { page } = await visit(t, browser, system);
      const sent: string[][] = [];
      page.on('request', (request: Request) => {
        if (request.url().endsWith('/login')) sent.push(Object.keys(request.postDataJSON()));
      });
      await waitForForm(page);
      await submit(page, demo, password());
      await waitForAccount(page, demo);
      t.strictSame(sent, [['email', 'password', 'remember', 'work.id', 'work.nonce']]);
    });

    t.test('an image is required, rejected and solved under its field names', async (t) => {
      const { page } = await visit(t, browser, system);
      const codes: Promise<string | 200>[] = [];
      page.on('response', (response) => {
        if (!response.url().endsWith('/login')) return;
        codes.push(response.ok() ? Promise.resolve(200) : response.json().then(({ code }) => code));
      });
      await waitForForm(page);
      await failUntilImage(page, demo, path);
      const field = page.getByRole('textbox', { name: 'Characters in the image' });
      await field.fill('zzzzzz');
      const issued = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
      await submit(page, demo, 'wrong');
      const { answer } = (await (await issued).json()) as { answer: string };
      const hint = page.locator(
        '#hint:text-is("That answer was not accepted. Please type the characters in this new image.")',
      );
      await hint.waitFor();
      await page.waitForSelector('tollgate-challenge:focus');
      await field.fill(answer);
      // The work for the next attempt is there, too.
      await page.evaluate(`new Promise((resolve) => {
    const element = document.querySelector('tollgate-challenge');
    const look = () => element.status === 'ready' && resolve();
    element.addEventListener('statuschange', look);
    look();
  })`);
      t.equal(await page.textContent('#notice'), '', 'a wrong image is one sentence, under its field');
      t.equal(await hint.count(), 0, 'which disappears when another answer is typed');
      await submit(page, demo, password());
      await waitForAccount(page, demo);
      t.strictSame(await Promise.all(codes), ['login_failed', 'login_failed', 'captcha_invalid', 200]);
    });

    t.test('every file of the pages exists', async (t) => {
      const { page, context } = await visit(t, browser, system);
      const loaded: string[] = [];
      const missing: string[] = [];
      context.on('response', (response) => {
        loaded.push(new URL(response.url()).pathname);
        if (response.status() >= 400) missing.push(response.url());
      });
      await page.reload();
      await waitForForm(page);
      await page.goto(`${system.address}/forms`);
      await page.locator('#displays .box[data-status="ready"]').first().waitFor();
      t.same(missing, []);
      for (const file of ['/app.js', '/forms/page.js', '/client/solver/open-worker.js'])
        t.ok(loaded.includes(file), file);
    });
  },
);
