// Size and sharpness of the element's image, on normal and dense screens, in wide and narrow pages.
import type {} from '@tollgate/client/element';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { startFormSite } from '@tollgate/tests/browser/form-site.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import t, { type Test } from 'tap';

const site = await startFormSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());

const form = `<form method="post" action="/image">
  <label>Text <input name="text"></label>
  <tollgate-challenge image="always" start="load"></tollgate-challenge>
  <button id="send">Send</button>
</form>`;

async function imageOf(t: Test, deviceScaleFactor: number, width: number) {
  const page = await openPage(t, browser, site.page(form), {
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
  const page = await openPage(t, browser, large.page(form), { viewport: { width: 900, height: 640 } });
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
