// Layout of the element: a floating box covers no focusable element, and an image has its size.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { policy, startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';

const site = await startFormSite(t, { RATE_LIMIT_POW: '1000', RATE_LIMIT_CAPTCHA: '1000' });
const browser = await launchBrowser();
t.teardown(() => browser.close());

const fields = ['Name', 'E-mail', 'Text']
  .map((name) => `<p><label>${name}<br><input name="${name}" style="width:100%;height:44px"></label></p>`)
  .join('');
const form = `<form method="post" action="/image">${fields}
  <tollgate-challenge display="floating"></tollgate-challenge>
  <button id="send" style="height:44px">Send</button>
</form>`;

interface Place {
  readonly width: number;
  readonly height: number;
  /** Pixels above an on-screen keyboard. */
  readonly visible?: number;
  readonly dir?: 'rtl';
}

/** Opens the form with a required image. */
async function open(t: Test, { width, height, visible, dir }: Place, body = form): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank', { viewport: { width, height } });
  const options = { policy: `${policy}; style-src 'unsafe-inline'` };
  await page.goto(site.page(body, dir ? { ...options, root: 'lang="ar" dir="rtl"' } : options));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await page.evaluate(() =>
    document
      .querySelector('tollgate-challenge')
      ?.settle({ captcha_required: true, captcha_alternatives: ['effort'], code: 'login_failed' }),
  );
  await page.waitForSelector('#answer');
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  if (visible !== undefined) {
    await page.focus('#answer');
    await showKeyboard(page, visible);
  }
  return page;
}

/** The element places its box in the next frame. */
const nextFrames = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Simulates an on-screen keyboard, which test browsers lack. */
async function showKeyboard(page: Page, visible: number): Promise<void> {
  await page.evaluate((height) => {
    Object.defineProperty(visualViewport, 'height', { value: height, configurable: true });
    visualViewport?.dispatchEvent(new Event('resize'));
  }, visible);
  await nextFrames(page);
}

const isFloating = (page: Page) =>
  page.$eval('tollgate-challenge', ({ shadowRoot }) => shadowRoot!.querySelector('[data-floats]') !== null);

/** Returns the controls covered by the box. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const box = document
      .querySelector('tollgate-challenge')!
      .shadowRoot!.querySelector('.box')!
      .getBoundingClientRect();
    return [...document.querySelectorAll('input, button, a')]
      .filter((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
      })
      .map(({ id, textContent }) => id || textContent);
  });

const places: [string, Place, boolean][] = [
  ['a phone', { width: 360, height: 640 }, false],
  ['a small phone', { width: 320, height: 480 }, false],
  ['a phone on its side', { width: 640, height: 360 }, false],
  ['a phone with its keyboard', { width: 360, height: 760, visible: 400 }, false],
  ['a phone from right to left', { width: 360, height: 640, dir: 'rtl' }, false],
  ['a window', { width: 1280, height: 800 }, true],
  ['a window from right to left', { width: 1280, height: 800, dir: 'rtl' }, true],
];

const imageForm = `<form method="post" action="/image">
  <label>Text <input name="text"></label>
  <tollgate-challenge image="always" start="load"></tollgate-challenge>
  <button id="send">Send</button>
</form>`;

async function imageOf(t: Test, deviceScaleFactor: number, width: number) {
  const page = await openPage(t, browser, site.page(imageForm), {
    deviceScaleFactor,
    viewport: { width, height: 640 },
  });
  const image = page.locator('tollgate-challenge img');
  await image.waitFor();
  return image.evaluate(async (node) => {
    const shown = node as HTMLImageElement;
    await shown.decode();
    const pixels = await createImageBitmap(await (await fetch(shown.currentSrc)).blob());
    const box = shown.getBoundingClientRect();
    const outer = document.documentElement;
    return {
      shown: [box.width, box.height],
      pixels: [pixels.width, pixels.height],
      overflow: outer.scrollWidth - outer.clientWidth,
    };
  });
}

for (const [name, place, floats] of places) {
  t.test(`the form can be finished with its box: ${name}`, async (t) => {
    const page = await open(t, place);
    t.equal(await isFloating(page), floats);
    t.same(await covered(page), []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    t.equal(overflow, 0);
    // Playwright clicks only uncovered elements.
    for (const field of ['Name', 'E-mail', 'Text']) await page.click(`[name=${field}]`, { timeout: 5000 });
    await page.click('#answer');
    await page.keyboard.press('Tab');
    await page.click('#send');
    const invalid = await page.evaluate(() => document.activeElement?.localName);
    t.equal(invalid, 'tollgate-challenge', 'the browser points to the field without an answer');
  });
}

t.test(
  'an on-screen keyboard without space for the box moves it into the flow, with its field on the screen',
  async (t) => {
    const page = await open(t, { width: 420, height: 900 });
    t.equal(await isFloating(page), true);
    await page.focus('#answer');
    await showKeyboard(page, 480);
    t.equal(await isFloating(page), false);
    t.same(await covered(page), []);
    const focused = await page.evaluate(() => document.activeElement?.localName);
    t.equal(focused, 'tollgate-challenge', 'and it keeps the focus');
  },
);

/** Checks the placement of the box after the next frame. */
const settled = async (t: Test, page: Page, floats: boolean) => {
  await nextFrames(page);
  t.equal(await isFloating(page), floats);
  t.same(await covered(page), []);
};

const frame = '<iframe id="frame" title="Payment" srcdoc="<input>" style="height:150px"></iframe>';
const beneath: [string, string][] = [
  ['links', '<p><a href="#a">Forgotten</a></p><p><a href="#b">Another way</a></p>'],
  ['a frame, whose focus fires no event', frame],
  ['a button with a fixed position', '<button style="position:fixed;left:40px;top:500px">Chat</button>'],
  ['a label of a hidden control', '<label id="toggle">News <input type="checkbox" hidden></label>'],
];
for (const [name, rest] of beneath) {
  t.test(`the box moves off elements beneath it: ${name}`, async (t) => {
    const page = await open(t, { width: 1280, height: 900 }, form + rest);
    t.equal(await isFloating(page), false);
  });
}

t.test('the box moves off controls that a component adds to its shadow root later', async (t) => {
  const page = await open(t, { width: 1280, height: 900 }, `${form}<div id="host"></div>`);
  t.equal(await isFloating(page), true);
  await page.evaluate(() => {
    const root = document.querySelector('#host')!.attachShadow({ mode: 'open' });
    root.innerHTML =
      '<button id="far" style="margin-left:600px">Far</button><br><button id="near">Near</button>';
    root.querySelector<HTMLElement>('#far')!.focus();
    root.querySelector<HTMLElement>('#near')!.focus();
  });
  await settled(t, page, false);
  t.equal(await page.isVisible('#near'), true);
  await page.click('#near', { timeout: 5000 });
});

t.test('focus on its own field does not move the box', async (t) => {
  const page = await open(t, { width: 1280, height: 900 });
  await page.fill('#answer', 'anything');
  await settled(t, page, true);
});

t.test('a main region focused by a skip link contains the box and is not beneath it', async (t) => {
  const page = await open(
    t,
    { width: 1280, height: 900 },
    `<div id="main" tabindex="-1" style="padding-bottom:500px">${form}</div>`,
  );
  await page.focus('#main');
  await settled(t, page, true);
});

t.test('the box follows its button when the page above it changes', async (t) => {
  const text = '<textarea id="text" aria-label="Text" style="field-sizing:content;width:300px"></textarea>';
  const page = await open(
    t,
    { width: 1280, height: 900 },
    `<div id="alert"></div>${form.replace('<p>', `${text}<p>`)}`,
  );
  t.equal(await isFloating(page), true);
  await page.fill('#text', 'A line\n'.repeat(7));
  await settled(t, page, true);
  await page.evaluate(() => {
    document.querySelector('#alert')!.innerHTML = '<p style="height:60px">Something happened.</p>';
  });
  await settled(t, page, true);
  await page.evaluate(() => {
    document.body.style.fontSize = '28px';
  });
  await settled(t, page, false);
});

const holders: [string, string][] = [
  ['a transform', 'transform:translate(200px,100px);width:600px'],
  ['containment', 'contain:paint;width:600px;height:420px'],
  ['a zoom', 'zoom:1.2;width:500px'],
];
for (const [name, style] of holders) {
  t.test(`the box moves into the flow inside ${name}`, async (t) => {
    const page = await open(t, { width: 1280, height: 1200 }, `<div style="${style}">${form}</div>`);
    await settled(t, page, false);
  });
}

t.test('the box moves into the flow when a filter around it makes it scroll with the page', async (t) => {
  const style = 'position:absolute;inset:0 auto auto 0;width:600px;filter:blur(0)';
  const page = await open(
    t,
    { width: 1280, height: 900 },
    `<div style="${style}">${form}<div style="height:2000px"></div></div>`,
  );
  await settled(t, page, true);
  await page.evaluate(() => scrollTo(0, 100));
  await settled(t, page, false);
});

t.test('a closed box does not reopen with each repetition of the same failure', async (t) => {
  const page = await openPage(t, browser, 'about:blank', { viewport: { width: 1280, height: 800 } });
  await page.goto(site.page(form, { policy: `${policy}; style-src 'unsafe-inline'` }));
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await page.route('**/api/captcha/pow**', (route) => route.abort());
  const failure = () =>
    page.evaluate(
      () =>
        new Promise<void>((done) => {
          const element = document.querySelector('tollgate-challenge')!;
          element.addEventListener('tollgate-error', () => setTimeout(done), { once: true });
          void element.refresh();
        }),
    );
  await failure();
  t.equal(await page.isVisible('.box'), true);
  await page.keyboard.press('Escape');
  t.equal(await page.isVisible('.box'), false);
  await failure();
  t.equal(await page.isVisible('.box'), false);
  await page.unroute('**/api/captcha/pow**');
  await page.evaluate(() => document.querySelector('tollgate-challenge')?.refresh());
  await page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');
  await page.route('**/api/captcha/pow**', (route) => route.abort());
  await failure();
  t.equal(await page.isVisible('.box'), true, 'a failure after a success is new');
});

for (const from of ['#answer', '[name=Text]']) {
  t.test(`Escape in ${from} closes the box; a submission reopens it at its field`, async (t) => {
    const page = await open(t, { width: 1280, height: 800 });
    await page.focus(from);
    await page.keyboard.press('Escape');
    t.equal(await page.isVisible('.box'), false);
    const focused = await page.evaluate(
      () => document.activeElement?.id || document.activeElement?.getAttribute('name'),
    );
    t.equal(focused, from === '#answer' ? 'send' : 'Text');
    await page.focus('#send');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.box');
    t.equal(await page.isVisible('#answer'), true);
    t.equal(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.id), 'answer');
    await page.keyboard.press('Escape');
    t.equal(await page.isVisible('.box'), false);
    await page.evaluate(() =>
      document
        .querySelector('tollgate-challenge')
        ?.settle({ captcha_required: true, errors: { captcha: ['Wrong.'] }, code: 'captcha_invalid' }),
    );
    await page.waitForSelector('.box');
  });
}

for (const deviceScaleFactor of [1, 2]) {
  t.test(
    `an image is shown at half its pixels where a pixel of the page has ${deviceScaleFactor}`,
    async (t) => {
      const { shown, pixels, overflow } = await imageOf(t, deviceScaleFactor, 800);
      t.strictSame(pixels, [480, 160]);
      t.strictSame(shown, [240, 80]);
      t.equal(overflow, 0);
    },
  );

  t.test(`in a page of 320 pixels it is as large, with ${deviceScaleFactor}`, async (t) => {
    const { shown, overflow } = await imageOf(t, deviceScaleFactor, 320);
    t.strictSame(shown, [240, 80]);
    t.equal(overflow, 0);
  });

  t.test(`in a narrower one it shrinks, with ${deviceScaleFactor}`, async (t) => {
    const { shown, overflow } = await imageOf(t, deviceScaleFactor, 220);
    const [width = 0, height = 0] = shown;
    t.ok(width < 220 && width > 120, `${width} pixels`);
    t.ok(Math.abs(width / height - 3) < 0.02, `${width} × ${height}`);
    t.equal(overflow, 0);
  });
}

t.test('a larger preset is shown larger, up to the width of the page', async (t) => {
  const picture = { width: 400, height: 130 };
  const presets = JSON.stringify({ large: { picture, phrase: { length: 5 } } });
  const large = await startFormSite(t, { CAPTCHA_PRESETS: presets });
  const page = await openPage(t, browser, large.page(imageForm), { viewport: { width: 900, height: 640 } });
  // The element requests the default preset; the service returns another one.
  await page.route('**/api/captcha?hint=1', (route) =>
    route.continue({ url: `${route.request().url()}&preset=large` }),
  );
  await page.reload();
  const image = page.locator('tollgate-challenge img');
  await image.waitFor();
  const box = await image.evaluate(async (node) => {
    await (node as HTMLImageElement).decode();
    const { width, height } = node.getBoundingClientRect();
    return [width, height];
  });
  t.strictSame(box, [400, 130]);
});
