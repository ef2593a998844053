// The element's own page: its displays, themes and languages, each real and with its lines to copy.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openDemo, visit } from './demo-page-visit.js';

const { system, browser } = await openDemo(t, {
  environment: { CAPTCHA_ROUTES_PREFIX: 'checks', CAPTCHA_POW_FIELDS_NONCE: 'nonce' },
});
const script = readFileSync(new URL('../../demo/layout-facts.js', import.meta.url), 'utf8');

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
    t.match(await page.textContent('#language-example pre'), ` lang="${new Intl.Locale(language).baseName}"`);
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
  for (const code of lines) t.match(guide, `\n${code.replace(ours, 'http://localhost:8080/api/captcha/')}\n`);
  const [, file = ''] = /src="([^"]+)"/.exec(lines[0]!) ?? [];
  t.ok(file.startsWith(ours));
  t.equal((await fetch(file)).status, 200, 'the element is at the address in the line');
});
