// Layout of the demo page: in each state, at each width, light, dark, in forced colours, in three languages; its
// accessibility; and the element's own page with its displays, themes and languages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { until } from '@tollgate/test-support/until.js';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import {
  fail,
  failUntilImage,
  openDemo,
  submit,
  visit,
  waitForAccount,
  waitForForm,
} from './demo-page-visit.js';

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
  t.same(names.slice(0, 6), ['price-chip', 'email', 'password', 'show-password', 'remember', 'submit']);
  t.ok(names.includes('Copy'), 'the lines to copy');
  t.ok(names.includes('Guard a form, step by step'), 'the documents');
  stops.slice(1).forEach(({ name, bottom }, at) => {
    t.ok(bottom > stops[at]!.top, `${name} is not above the previous stop`);
  });
});

t.test('accessibility: no axe-core findings and no sideways scrolling, in each state', async (t) => {
  const password = 'a password of these tests';
  const schemes = ['light', 'dark'] as const;
  const smallest = { width: 320, height: 640 };
  const widest = { width: 1280, height: 800 };
  // Part of the browser package, which is tested with it as well.
  const require = createRequire(new URL('../../../packages/client/package.json', import.meta.url));
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

  const { system } = await openDemo(t, {
    browser,
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
});

t.test('the page of forms: each is real, with its lines to copy', async (t) => {
  const { system } = await openDemo(t, {
    browser,
    environment: { CAPTCHA_ROUTES_PREFIX: 'checks', CAPTCHA_POW_FIELDS_NONCE: 'nonce' },
  });

  async function openForms(t: Test, options: Parameters<typeof visit>[3] = {}): Promise<Page> {
    const { page, context } = await visit(t, browser, system, { script, path: '/forms', ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('tollgate-challenge').nth(6).waitFor({ state: 'attached' });
    return page;
  }

  const example = (page: Page, title: string) =>
    page.locator('.example', { has: page.getByRole('heading', { name: title, exact: true }) });

  t.test('each form works: it sends its work, and an image if one is required', async (t) => {
    // With room for a floating box under its button.
    const page = await openForms(t, { viewport: { width: 1280, height: 2000 } });
    for (const title of ['Inline', 'Floating', 'Invisible', 'Light', 'Dark', 'Your own']) {
      const card = example(page, title);
      await card.locator('input[type="email"]').fill('somebody@example.com');
      await card.getByRole('button', { name: 'Subscribe' }).click();
      await card.locator('output:has-text("This would be sent: email, pow_token, nonce.")').waitFor();
      await card.getByRole('button', { name: `Request an image: ${title}` }).click();
      // A new image empties the field.
      await card.locator('tollgate-challenge img').waitFor();
      await card.getByRole('textbox', { name: 'Characters in the image' }).fill('anything');
      const floats = (await card.locator('.box').getAttribute('data-floats')) !== null;
      t.equal(floats, title === 'Floating', `${title} ${floats ? 'floats' : 'stands in its place'}`);
      await card.locator('form > button').press('Enter');
      await card.locator('output:has-text("captcha_token, captcha")').waitFor();
    }
  });

  t.test('a visitor who only reads the page requests work once', async (t) => {
    const page = await openForms(t);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/checks/pow') asked.push(request.url());
    });
    await page.reload();
    await page.locator('#displays .box[data-status="ready"]').first().waitFor();
    await page.locator('tollgate-challenge').nth(6).waitFor({ state: 'attached' });
    t.equal(asked.length, 1);
    await example(page, 'Dark').locator('input[type="email"]').focus();
    await example(page, 'Dark').locator('.box[data-status="ready"]').waitFor();
    t.equal(asked.length, 2, 'and for a form in use');
  });

  t.test('the lines to copy match the form and this installation', async (t) => {
    const page = await openForms(t);
    const card = example(page, 'Floating');
    await card.getByRole('button', { name: 'Copy: Lines to copy: Floating' }).click();
    await card.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    t.equal(
      copied,
      `<form method="post" action="/subscribe">
  <label>
    E-mail
    <input type="email" name="email" required>
  </label>
  <tollgate-challenge prefix="checks" pow-nonce-name="nonce" display="floating">
  </tollgate-challenge>
  <button>Subscribe</button>
</form>`,
    );
    t.match(await example(page, 'Your own').locator('pre').textContent(), '--tollgate-accent: #7a2fd0;');
    const accent = `getComputedStyle(document.querySelectorAll('#themes form')[2]).getPropertyValue('--tollgate-accent')`;
    t.equal(await page.evaluate(accent), '#7a2fd0');
  });

  t.test('every language of the element can be chosen, and right-to-left ones are mirrored', async (t) => {
    const page = await openForms(t);
    const languages = (await page.evaluate(
      `import('/client/element/languages.js').then(({ languages }) => languages)`,
    )) as string[];
    t.ok(languages.length > 13);
    const words = new Set<string | null>();
    for (const language of languages) {
      await page.locator(`#languages input[value="${language}"]`).check();
      const box = page.locator(`#language-example .box[lang="${language}"]:not([data-loading])`);
      await box.waitFor();
      words.add(await box.textContent());
      t.equal(await box.getAttribute('dir'), ['ar', 'he'].includes(language) ? 'rtl' : 'ltr', language);
      t.match(
        await page.textContent('#language-example pre'),
        ` lang="${new Intl.Locale(language).baseName}"`,
      );
    }
    t.equal(words.size, languages.length, 'each in its own words');
  });

  t.test('nothing overlaps, nothing is cut, nothing scrolls sideways', async (t) => {
    for (const locale of ['en-GB', 'fr', 'ar', 'de']) {
      const page = await openForms(t, { locale, reducedMotion: 'reduce' });
      const look = async (state: string) => {
        for (const width of [320, 360, 768, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          t.same(await page.evaluate('layoutFaults({ calm: true })'), [], `${state}, ${locale}, ${width}`);
        }
      };
      await page.locator('#displays .box[data-status="ready"]').first().waitFor();
      await look('at first');
      const buttons = page.locator('.example > button');
      // Without the floating one, which covers content below its button.
      for (const at of [0, 2, 3, 4, 5, 6]) await buttons.nth(at).click();
      await page.locator('#language-example img').waitFor();
      await look('with images');
    }
  });

  t.test('the lines for your own form match the guide, with the path of this installation', async (t) => {
    const { page } = await visit(t, browser, system);
    const guide = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const lines = await page.locator('#own-lines code').allTextContents();
    t.equal(lines.length, 2);
    const ours = `${system.address}/checks/`;
    for (const code of lines)
      t.match(guide, `\n${code.replace(ours, 'http://localhost:8080/api/captcha/')}\n`);
    const [, file = ''] = /src="([^"]+)"/.exec(lines[0]!) ?? [];
    t.ok(file.startsWith(ours));
    t.equal((await fetch(file)).status, 200, 'the element is at the address in the line');
  });
});
