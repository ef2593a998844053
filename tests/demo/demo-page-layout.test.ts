// Layout of the demo page: in each state, at each width, light, dark, in forced colours, in three languages.
import { readFileSync } from 'node:fs';
import { until } from '@tollgate/test-support/until.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { fail, openDemo, submit, visit, waitForAccount, waitForForm } from './demo-page-visit.js';

// Shows the default price; the smallest effort is enough.
const environment = { CAPTCHA_POW_DIFFICULTY: '16', CAPTCHA_EFFORT_BITS: '0' };
const { system, browser } = await openDemo(t, { environment });
const script = readFileSync(new URL('../../demo/layout-facts.js', import.meta.url), 'utf8');

const phone = { width: 360, height: 640 };
/** The fourth is 1280 × 720 at 200 %. */
const sizes = [
  { width: 320, height: 640 },
  phone,
  { width: 768, height: 1024 },
  { width: 640, height: 360 },
  { width: 1280, height: 800 },
];
const looks = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
] as const;

interface CheckOptions {
  /** A state without problems: nothing is red. */
  readonly calm?: boolean;
}

/** Checks the page in all sizes, and in the last of them in all colours. */
async function check(t: Test, page: Page, state: string, { calm = false }: CheckOptions = {}): Promise<void> {
  const look = async (what: string, isCalm: boolean) =>
    t.same(await page.evaluate(`layoutFaults({ calm: ${isCalm} })`), [], `${state}, ${what}`);
  for (const size of sizes) {
    await page.setViewportSize(size);
    await look(`${size.width} × ${size.height}`, false);
  }
  for (const { colorScheme, forcedColors } of looks) {
    await page.emulateMedia({ colorScheme, forcedColors });
    await look(`${colorScheme}, forced colours ${forcedColors}`, calm && forcedColors === 'none');
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.setViewportSize(phone);
}

const unfold = (page: Page) => page.evaluate(`document.getElementById('behind').open = true`);
/** Whether an element is completely on the screen. */
const isOnScreen = (page: Page, element: string) =>
  page.evaluate(`(() => {
    const { top, bottom } = (${element}).getBoundingClientRect();
    return bottom > top && top >= 0 && bottom <= innerHeight;
  })()`);
const image = `document.querySelector('tollgate-challenge').shadowRoot.querySelector('img')`;

for (const locale of ['en-GB', 'fr', 'ar']) {
  t.test(`nothing overlaps, nothing is cut, nothing scrolls sideways: ${locale}`, async (t) => {
    const options = { locale, script, viewport: phone, reducedMotion: 'reduce' } as const;
    const { page } = await visit(t, browser, system, options);
    const email = `layout-${locale}@example.com`;
    await waitForForm(page);
    t.equal(await page.getAttribute('#behind', 'open'), null, 'on a phone the panel is folded');
    t.ok(await isOnScreen(page, `document.getElementById('submit')`), 'the whole form is visible at once');
    await unfold(page);
    await page.locator('#tried').waitFor();
    await check(t, page, 'the form', { calm: true });
    await fail(page, email);
    await check(t, page, 'a wrong password');
    await page.evaluate('scrollTo(0, 0)');
    await fail(page, email);
    await page.locator('tollgate-challenge img').waitFor();
    await page.evaluate(`${image}.decode()`);
    await page.evaluate('scrollTo(0, 0)');
    t.ok(await isOnScreen(page, image), 'the image is visible without scrolling');
    t.ok(await isOnScreen(page, `document.getElementById('price-chip')`), 'and so is the price');
    await check(t, page, 'an image');
    await page.locator('tollgate-challenge').locator('.toggle').click();
    await page.waitForSelector('#parts:not([hidden])');
    await check(t, page, 'work in place of the image');
    await submit(page, 'demo@example.com', system.demo?.password ?? '');
    await waitForAccount(page, 'demo@example.com');
    await page.locator('#sessions strong').first().waitFor();
    await page.click('#call');
    await page.locator('#answer:has-text("200")').waitFor();
    await check(t, page, 'signed in', { calm: true });
    await page.context().route('**/refresh', (route) => route.abort());
    await page.reload();
    await page.waitForSelector('#look-again:not([hidden])');
    await check(t, page, 'without a response');
  });
}

t.test(
  'while the service is unavailable nothing is empty or dashed, and the form shows the problem',
  async (t) => {
    const { page, context } = await visit(t, browser, system, { script, viewport: phone });
    await context.route('**/api/captcha/**', (route) => route.abort());
    await page.reload();
    await page.locator('#word:has-text("It will try again automatically")').waitFor();
    await check(t, page, 'without challenges');
    t.notMatch(await page.innerText('main'), /^\s*[–—-]\s*$/m);
    t.equal(await page.isVisible('#zeros'), false);
  },
);

t.test('the chart has an accessible label, and its scale ends at the ceiling', async (t) => {
  const { page } = await visit(t, browser, system, { viewport: sizes[4]! });
  await waitForForm(page);
  t.equal(await page.locator('#zeros span').count(), 24);
  const label = (await page.getAttribute('#chart svg', 'aria-label')) ?? '';
  t.match(label, '0: 16 zero bits, 1: 18 zero bits, 2: 20 zero bits, 3: 22 zero bits, 4: 24 zero bits.');
  t.match(label, 'No price exceeds 24 zero bits.');
  t.match(label, /The next attempt costs \d\d zero bits\.$/);
  t.equal(await page.locator('#chart .stair').count(), 5);
  t.equal(await page.textContent('#bits-unit'), 'zero bits');
});

t.test('the labels of the chart grow with the text, and do not overlap at 200 %', async (t) => {
  const { page } = await visit(t, browser, system, { viewport: sizes[4]! });
  await waitForForm(page);
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  await page.waitForFunction(`getComputedStyle(document.querySelector('#chart text')).fontSize === '26px'`);
  const overlaps = () =>
    page.evaluate(`(() => {
      const boxes = [...document.querySelectorAll('#chart text')].map((text) => text.getBoundingClientRect());
      const chart = document.querySelector('#chart svg').getBoundingClientRect();
      const cut = boxes.filter((box) => box.bottom > chart.bottom + 1 || box.top < chart.top - 1);
      const pairs = boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) =>
        one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));
      return cut.length + pairs.length;
    })()`);
  await until(async () => (await overlaps()) === 0, 'no labels overlap');
  t.pass();
});

t.test('the focus follows the reading order', async (t) => {
  const { page } = await visit(t, browser, system, { viewport: phone });
  await waitForForm(page);
  // The next Tab starts from the top of the page.
  await page.mouse.click(1, 1);
  const stops: { readonly name: string; readonly top: number; readonly bottom: number }[] = [];
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(`(() => {
      const at = document.activeElement;
      const { top, bottom } = at.getBoundingClientRect();
      return at === document.body ? null : { name: at.id || at.textContent.trim(), top: top + scrollY, bottom: bottom + scrollY };
    })()`);
    if (stop === null) break;
    stops.push(stop as (typeof stops)[number]);
  }
  const names = stops.map(({ name }) => name);
  t.same(names.slice(0, 5), ['price-chip', 'email', 'password', 'show-password', 'submit']);
  t.ok(names.includes('Copy'), 'the lines to copy');
  t.ok(names.includes('Guard a form, step by step'), 'the documents');
  stops.slice(1).forEach(({ name, bottom }, at) => {
    t.ok(bottom > stops[at]!.top, `${name} is not above the previous stop`);
  });
});
