// Display, announcements and controls in each state of the element, and its accessibility by axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import {
  imageForm as form,
  policyWithoutWasm,
  ready,
  startFormSite,
} from '@tollgate/tests/browser/form-site.js';
import { type OpenPageOptions, openPage } from '@tollgate/tests/browser/open-page.js';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const site = await startFormSite(t, { CAPTCHA_EFFORT_BITS: '8', RATE_LIMIT_POW: '1000' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

type Options = OpenPageOptions & { readonly policy?: string; readonly root?: string };

async function open(t: Test, body: string, { policy, root, ...options }: Options = {}): Promise<Page> {
  const at = { ...(policy && { policy }), ...(root && { root }) };
  const page = await openPage(t, browser, 'about:blank', options);
  await page.clock.install();
  await page.goto(site.page(body, at));
  return page;
}

/** Returns all axe violations in the page. */
async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const results = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], preload: { assets: ['media'] } })",
  )) as AxeResults;
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}

const announced = (page: Page) => page.textContent('[role=status]');
const word = (page: Page) => page.textContent('#word');
const focused = (page: Page) =>
  page.evaluate(() => {
    const outer = document.activeElement;
    const inner = outer?.shadowRoot?.activeElement ?? outer;
    return inner?.id || inner?.getAttribute('part') || inner?.getAttribute('name') || inner?.localName;
  });

const looks: Record<string, Options> = {
  light: {},
  dark: { colorScheme: 'dark' },
  'forced colours': { forcedColors: 'active' },
  '320 px': { viewport: { width: 320, height: 640 } },
  Arabic: { root: 'lang="ar" dir="rtl"' },
};

for (const [name, options] of Object.entries(looks)) {
  t.test(`axe finds nothing, and nothing is too small or too wide: ${name}`, async (t) => {
    const page = await open(t, form(), options);
    await page.waitForSelector(ready);
    t.same(await violationsOf(page), [], 'ready');
    const settle = (body: object) =>
      page.evaluate((said) => document.querySelector('tollgate-challenge')?.settle(said), body);
    await settle({ captcha_required: true, captcha_alternatives: ['effort'] });
    await page.waitForSelector(ready);
    t.same(await violationsOf(page), [], 'with an image');
    const sizes = await page.$$eval('tollgate-challenge :is(input, button, img)', (all) =>
      all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0),
    );
    t.same(
      sizes.filter(({ width, height }) => Math.min(width, height) < 44),
      [],
    );
    t.ok(sizes.length >= 4);
    const direction = await page.$eval('#answer', (answer) => getComputedStyle(answer).direction);
    t.equal(direction, 'ltr', 'Latin letters, in every language');
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    t.equal(await overflow(), 0);
    await page.clock.fastForward(121_000);
    await page.waitForSelector('[data-stale]');
    t.same(await violationsOf(page), [], 'with an expired image');
    t.equal(await overflow(), 0);
  });
}

t.test('reduced motion is respected', async (t) => {
  for (const [reducedMotion, moves] of [
    ['reduce', false],
    ['no-preference', true],
  ] as const) {
    const page = await open(t, form(), { reducedMotion });
    const durations = await page.$eval('tollgate-challenge', ({ shadowRoot }) =>
      [...shadowRoot!.querySelectorAll('*')].flatMap((node) => {
        const { transitionDuration, animationDuration } = getComputedStyle(node);
        return [...transitionDuration.split(', '), ...animationDuration.split(', ')];
      }),
    );
    t.equal(
      durations.some((duration) => Number.parseFloat(duration) > 0),
      moves,
      reducedMotion,
    );
  }
});

t.test('text at 200 % grows and stays within the page', async (t) => {
  const page = await open(t, form('image="always" start="load"'), { viewport: { width: 640, height: 800 } });
  await page.waitForSelector(ready);
  const measure = () =>
    page.$eval('tollgate-challenge', (element) => ({
      overflow: document.documentElement.scrollWidth - innerWidth,
      letters: [...element.shadowRoot!.querySelectorAll('button, input, #word')].map((node) =>
        Number.parseFloat(getComputedStyle(node).fontSize),
      ),
      cutOff: [...element.shadowRoot!.querySelectorAll<HTMLElement>('button, p, label')]
        .filter(({ offsetWidth, className }) => offsetWidth > 0 && className !== 'visually-hidden')
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0)
        .map(({ textContent }) => textContent),
    }));
  const usual = await measure();
  t.ok(usual.letters.length >= 3);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  t.strictSame(await measure(), {
    overflow: 0,
    letters: usual.letters.map((pixels) => pixels * 2),
    cutOff: [],
  });
  t.same(await violationsOf(page), []);
});

t.test('idle, solving and ready have the same height, and are not announced', async (t) => {
  const page = await open(t, '<p>Later a form</p>');
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  const seen = await page.evaluate(async (markup) => {
    document.querySelector('main')!.innerHTML = markup;
    const element = document.querySelector('tollgate-challenge')!;
    const heights: Record<string, number> = { [element.status]: element.offsetHeight };
    element.removeAttribute('disabled');
    await new Promise<void>((resolve) => {
      const look = () => {
        heights[element.status] = element.offsetHeight;
        if (element.status === 'ready') resolve();
      };
      look();
      element.addEventListener('statuschange', look);
    });
    return heights;
  }, form('disabled'));
  t.same(Object.keys(seen), ['idle', 'solving', 'ready']);
  t.equal(new Set(Object.values(seen)).size, 1, JSON.stringify(seen));
  t.equal(await announced(page), '');
  t.equal(await page.getAttribute('progress >> nth=0', 'value'), '1');
});

t.test('an error is announced, and a retry succeeds; the button keeps the focus', async (t) => {
  const page = await open(t, '<p>Not yet</p>');
  await page.route('**/api/captcha/pow*', (route) => route.abort());
  await page.goto(site.page(form()));
  await page.waitForSelector('text=Try again');
  // Before the automatic retry: a focused button keeps the focus then too.
  await page.focus('.retry');
  const text = 'The security check is not responding. It will try again automatically.';
  t.equal(await word(page), text);
  t.equal(await announced(page), text);
  t.equal(await page.$eval('tollgate-challenge', (element) => element.validationMessage), text);
  t.same(await violationsOf(page), []);
  await page.unroute('**/api/captcha/pow*');
  await page.keyboard.press('Enter');
  await page.waitForSelector(ready);
  t.equal(await focused(page), 'button retry');
  t.equal(await announced(page), 'The security check is done.');
  await page.keyboard.press('Tab');
  t.equal(await focused(page), 'send');
  t.equal(await page.isVisible('.retry'), false);
});

t.test('too many requests: the waiting time and its end are announced', async (t) => {
  const busy = await startFormSite(t, { RATE_LIMIT_POW: '1' });
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.goto(busy.page(form()));
  await page.waitForSelector(ready);
  await page.reload();
  await page.waitForSelector('text=Too many requests.');
  t.match(await word(page), /^Too many requests\. Please wait \d+ seconds\.$/);
  t.match(await announced(page), /^Too many requests\. Please wait \d+ seconds\.$/);
  t.equal(await page.getAttribute('.retry', 'aria-disabled'), 'true');
  t.same(await violationsOf(page), []);
  await page.click('.retry', { force: true });
  t.same(busy.requested, ['/pow', '/pow'], 'nothing is requested in between');
  await page.clock.fastForward(61_000);
  await page.waitForSelector('.retry[aria-disabled="false"]');
  t.equal(await word(page), 'Too many requests. The check continues in a moment.');
});

t.test('an expired image is marked, keeps the text, and offers a new one', async (t) => {
  const page = await open(t, form('image="always" start="load"'));
  await page.waitForSelector(ready);
  await page.fill('#answer', 'typed');
  await page.focus('[name=text]');
  await page.clock.fastForward(121_000);
  await page.waitForSelector('text=This image has expired. Please request a new one.');
  t.equal(await page.inputValue('#answer'), 'typed');
  t.equal(await focused(page), 'text');
  t.equal(await page.$eval('tollgate-challenge', (element) => element.checkValidity()), false);
  const before = await page.getAttribute('img', 'srcset');
  await page.focus('[part~=new-image]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    (src) => document.querySelector('tollgate-challenge')!.shadowRoot!.querySelector('img')!.srcset !== src,
    before,
  );
  t.equal(await page.inputValue('#answer'), '');
  t.equal(await focused(page), 'button new-image');
  t.equal(await announced(page), 'Please also type the characters in the image.');
});

t.test('effort: chosen by keyboard, its time is announced, and it can be cancelled', async (t) => {
  const page = await open(t, '<p>Not yet</p>');
  // One worker: more would take processor time from the tested code.
  await page.addInitScript(() => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 }));
  // More hashes than any machine computes during the test.
  await page.route('**/api/captcha?preset=effort*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), part_difficulty: 32 } });
  });
  await page.goto(site.page(form('image="always" start="load" max-hashes="4000000000"')));
  await page.waitForSelector(ready);
  t.equal(await page.textContent('#time'), '', 'work this short allows no estimate');
  t.equal(
    await page.isVisible('[part=note]'),
    await page.$eval('tollgate-challenge', (element) => element.controller?.state.solver?.degraded),
    'no slow work is reported',
  );
  await page.focus('[part~=alternative]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=/^Step \\d+ of 16, [\\d,]+–[\\d,]+ minutes left$/');
  t.equal(
    await announced(page),
    'Your device is working in place of the image. You can continue with the form.',
  );
  t.equal(await focused(page), 'button alternative');
  t.equal(await page.isVisible('#answer'), false);
  t.same(await violationsOf(page), []);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#answer');
  t.equal(await focused(page), 'button alternative');
});

t.test('if WebAssembly is forbidden, the element reports slow work', async (t) => {
  const page = await open(t, form(), { policy: policyWithoutWasm });
  await page.waitForSelector(ready);
  t.match(await page.$eval('tollgate-challenge', (element) => element.controller?.state.solver), {
    path: 'js',
    degraded: true,
  });
  t.equal(
    await page.innerText('[part=note]'),
    'This takes longer here: the browser or this page does not allow fast computing.',
  );
  t.equal(await page.isVisible('[part=note]'), true);
  t.same(await violationsOf(page), []);
});

t.test('the whole form works by keyboard only', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  let newest: Promise<string> = Promise.resolve('');
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/api/captcha')
      newest = response.json().then(({ answer }) => answer);
  });
  await page.goto(site.page(form('image="always" start="load"')));
  await page.waitForSelector(ready);
  const way: (string | undefined)[] = [];
  for (let steps = 0; steps < 5; steps += 1) {
    await page.keyboard.press('Tab');
    way.push((await focused(page)) ?? undefined);
  }
  t.same(way, ['text', 'answer', 'button new-image', 'button alternative', 'send']);
  for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Shift+Tab');
  const before = await page.getAttribute('img', 'srcset');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.waitForFunction(
    (src) => document.querySelector('tollgate-challenge')!.shadowRoot!.querySelector('img')!.srcset !== src,
    before,
  );
  await page.waitForSelector(ready);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type(await newest);
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=Delivered.');
});

t.test('browsers and phone keyboards do not change the answer field', async (t) => {
  const page = await open(t, form('image="always" start="load"'));
  await page.waitForSelector('#answer');
  const attributes = await page.$eval('#answer', (input) =>
    Object.fromEntries([...input.attributes].map(({ name, value }) => [name, value])),
  );
  t.match(attributes, {
    autocomplete: 'off',
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    inputmode: 'text',
    enterkeyhint: 'go',
    dir: 'ltr',
  });
  t.equal(
    await page.getAttribute('img', 'alt'),
    'Distorted letters and digits, to be typed in the field below',
  );
});

t.test('the language follows the position of the element in the page', async (t) => {
  const body = `<div lang="fr-CA">${form()}</div><div lang="eo">${form()}</div>${form('lang="he"')}${form()}`;
  const page = await open(t, body, { root: 'lang="fr"' });
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  const read = () =>
    page.$$eval('tollgate-challenge', (all) =>
      all.map((element) => {
        const [box, liveRegion] = ['div', '[role=status]'].map(
          (selector) => element.shadowRoot!.querySelector<HTMLElement>(selector)!,
        );
        const isSame = box!.lang === liveRegion!.lang && box!.dir === liveRegion!.dir;
        return isSame ? [box!.lang, box!.dir] : ['another voice'];
      }),
    );
  t.same(await read(), [
    ['fr', 'ltr'],
    ['en', 'ltr'],
    ['he', 'rtl'],
    ['fr', 'ltr'],
  ]);
  await page.evaluate(() => document.documentElement.setAttribute('lang', 'ar'));
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('tollgate-challenge')].at(-1)!.shadowRoot!.querySelector('div')!.dir ===
      'rtl',
  );
  await page.evaluate(async (file) => {
    const { addLanguage } = await import(file);
    addLanguage('eo', async () => ({ title: 'Sekureca kontrolo' }));
  }, `${site.address}/tollgate.js`);
  await page.waitForSelector('[lang=eo] >> text=Sekureca kontrolo');
  t.same((await read())[1], ['eo', 'ltr'], 'a language added by the page');
});
