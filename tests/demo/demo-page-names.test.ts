// The demo page as shipped, module by module, with another challenge path and other names of all four fields.

import { shippedPage } from '@tollgate/tools/demo/demo-page.js';
import type { Request } from 'playwright-core';
import t from 'tap';
import { failUntilImage, openDemo, submit, visit, waitForAccount, waitForForm } from './demo-page-visit.js';

const demo = 'demo@example.com';
const path = '/challenges/v1';

const { system, browser } = await openDemo(t, {
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
  t.strictSame(sent, [['email', 'password', 'work.id', 'work.nonce']]);
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
