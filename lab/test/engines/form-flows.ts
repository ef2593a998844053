// Plain forms that the browser itself sends, under a policy that allows nothing beyond what the element needs.

import { until } from '@tollgate/test-support/until.js';
import { find, type Tab } from '../../src/engines/engine.js';
import { isFocused } from './demo-page.js';
import type { Flows } from './flows.js';
import { formsPath } from './form-application.js';

const text = '[name=text]';
const send = '#send';
const answer = 'input#answer';
const isReady = `${find('tollgate-challenge')}?.status === 'ready'`;

async function waitUntilDelivered(tab: Tab): Promise<void> {
  await tab.waitFor(`document.body.textContent.includes('Delivered.')`);
}

export const formFlows: Flows = {
  async 'a plain form is sent once by a double click, and Back leads to one that can be sent again'(
    t,
    { site, visitor },
  ) {
    site.delivered.length = 0;
    const tab = await visitor.openTab();
    await tab.open(`${site.front.address}${formsPath}contact.html`);
    await tab.fill(text, 'one');
    await tab.waitFor(isReady);
    const release = site.front.hold(`POST ${formsPath}contact`);
    const clicked = tab.doubleClick(send);
    // Some drivers wait for the page that the click leads to.
    setTimeout(release, 500);
    await clicked;
    await waitUntilDelivered(tab);
    await tab.back();
    await tab.waitFor(isReady);
    await tab.fill(text, 'two');
    await tab.click(send);
    await waitUntilDelivered(tab);
    t.match(site.delivered, [
      { text: 'one', powToken: /^\w{40}$/, powNonce: /^\d+$/ },
      { text: 'two', powToken: /^\w{40}$/, powNonce: /^\d+$/ },
    ]);
    t.equal(site.delivered.length, 2);
    t.not(site.delivered[0]?.powToken, site.delivered[1]?.powToken);
  },

  async 'under the strictest policy workers do the work, and Enter sends the answer to an image'(
    t,
    { site, visitor },
  ) {
    site.delivered.length = 0;
    const tab = await visitor.openTab();
    await tab.open(`${site.front.address}${formsPath}image.html`);
    await tab.waitFor(isReady);
    await tab.waitFor(`${find('[part=image]')}?.naturalWidth === 240`);
    const solver = await tab.evaluate(`${find('tollgate-challenge')}.controller.state.solver`);
    t.match(solver, { path: /^(simd|wasm)$/, degraded: false });
    t.ok((solver as { workers: number }).workers >= 1, 'in workers');
    await tab.fill(text, 'with image');
    await tab.fill(answer, site.front.imageAnswer());
    await tab.waitFor(isFocused(answer));
    await tab.press('Enter');
    await waitUntilDelivered(tab);
    t.match(site.delivered, [{ text: 'with image', imageToken: /^\w{40}$/ }]);
  },

  async 'htmx and jQuery send a form again and again, and drafts that are read at every key cost nothing'(
    t,
    { site, visitor },
  ) {
    const tab = await visitor.openTab();
    for (const page of ['htmx.html', 'jquery.html']) {
      site.delivered.length = 0;
      await tab.open(`${site.front.address}${formsPath}${page}`);
      await tab.waitFor(isReady);
      await tab.evaluate(`void document.forms[0].addEventListener('input', () => {
        globalThis.drafts = (globalThis.drafts ?? 0) + [...new FormData(document.forms[0])].length;
        fetch('/icon.svg');
      })`);
      for (const [index, word] of ['one', 'two', 'three'].entries()) {
        await tab.fill(text, word);
        await tab.click(send);
        await until(() => site.delivered.length > index, `${page}: ${index} arrived`);
      }
      t.match(site.delivered, [{ text: 'one' }, { text: 'two' }, { text: 'three' }], page);
      t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 3);
      const works = `performance.getEntriesByType('resource').filter(({ name }) => /captcha.pow/.test(name)).length`;
      t.ok((await tab.evaluate<number>(works)) <= 4, page);
    }
  },
};
