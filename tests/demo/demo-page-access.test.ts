// Accessibility of the demo page: no axe-core findings and no sideways scrolling, in each of its states.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { failUntilImage, openDemo, submit, visit, waitForAccount, waitForForm } from './demo-page-visit.js';

const password = 'a password of these tests';
const schemes = ['light', 'dark'] as const;
const smallest = { width: 320, height: 640 };
const widest = { width: 1280, height: 800 };
// Part of the browser package, which is tested with it as well.
const require = createRequire(new URL('../../../packages/client/package.json', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const { system, browser } = await openDemo(t, {
  accounts: schemes.map((scheme) => ({ email: `${scheme}@example.com`, password })),
});

/** Checks a state on the smallest screen and on a wide one. */
async function check(t: Test, page: Page, state: string): Promise<void> {
  await checkSize(t, page, state);
  await page.setViewportSize(widest);
  await checkSize(t, page, `${state}, on a wide screen`);
  await page.setViewportSize(smallest);
}

async function checkSize(t: Test, page: Page, state: string): Promise<void> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
  const found = await page.evaluate(`(async () => {
    const { violations } = await axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } });
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', '));
  })()`);
  t.same(found, [], state);
  const { width } = page.viewportSize() ?? smallest;
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${state}: no wider`);
}

async function isInside(inner: Locator, outer: Locator): Promise<boolean> {
  const [a, b] = [await inner.boundingBox(), await outer.boundingBox()];
  return a !== null && b !== null && a.x >= b.x && a.x + a.width <= b.x + b.width;
}

for (const colorScheme of schemes) {
  t.test(`every state is accessible: ${colorScheme}`, async (t) => {
    const email = `${colorScheme}@example.com`;
    const { page, context } = await visit(t, browser, system, {
      colorScheme,
      viewport: smallest,
      reducedMotion: 'reduce',
    });
    await waitForForm(page);
    await check(t, page, 'the form');
    await failUntilImage(page, email);
    await check(t, page, 'a rejection with an image');
    const field = page.getByRole('textbox', { name: 'Characters in the image' });
    for (const part of [field, page.getByRole('img', { name: /^Distorted letters/ })]) {
      t.ok(await isInside(part, page.locator('tollgate-challenge')), 'it is not cut off');
    }
    await page.getByRole('button', { name: /let my device work/ }).click();
    await page.waitForSelector('#parts:not([hidden])');
    await check(t, page, 'work in place of the image');
    await page.getByRole('button', { name: /image instead/ }).click();
    await page.getByRole('textbox', { name: 'Characters in the image' }).waitFor();
    await context.close();

    const signedIn = await visit(t, browser, system, { colorScheme, viewport: smallest });
    const tab = signedIn.page;
    await waitForForm(tab);
    await submit(tab, 'demo@example.com', system.demo?.password ?? '');
    await waitForAccount(tab, 'demo@example.com');
    await tab.click('#call');
    await tab.locator('#answer:has-text("200")').waitFor();
    await check(t, tab, 'signed in');
    await signedIn.context.route('**/refresh', (route) => route.abort());
    await tab.reload();
    await tab.waitForSelector('#look-again:not([hidden])');
    await check(t, tab, 'without a response');

    await tab.goto(`${system.address}/forms`);
    await tab.locator('tollgate-challenge').nth(6).waitFor({ state: 'attached' });
    await check(t, tab, 'the element alone');
    await tab.getByRole('button', { name: 'Request an image: Inline' }).click();
    await tab.getByRole('textbox', { name: 'Characters in the image' }).waitFor();
    await check(t, tab, 'the element alone, with an image');
  });
}
