// Plain forms that the browser itself sends, under the element's minimal policy.

import { until } from '@tollgate/test-support/until.js';
import { find, isShown, type Tab } from '../../src/engines/engine.js';
import { isFocused } from './demo-page.js';
import type { Flows } from './flows.js';
import { formsPath, libraryPages } from './form-application.js';

const text = '[name=text]';
const send = '#send';
const answer = 'input#answer';
const isReady = `${find('tollgate-challenge')}?.status === 'ready'`;
/** Turbo disables the button until it has the response. */
const isEnabled = `!document.querySelector('${send}').disabled`;

async function waitUntilDelivered(tab: Tab): Promise<void> {
  await tab.waitFor(`document.body.textContent.includes('Delivered.')`);
}

const element = find('tollgate-challenge');

/** The controls of the page under the box. */
const covered = `(() => {
    const box = ${find('.box')}.getBoundingClientRect();
    return [...document.querySelectorAll('input, button, a')].filter((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      // Firefox rounds the edges of boxes that touch.
      return left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1;
    }).map(({ textContent }) => textContent);
  })()`;

/** Ways to focus an element. */
const focusing: Readonly<Record<string, (tab: Tab) => Promise<unknown>>> = {
  'a script': (tab) => tab.evaluate(`void ${element}.focus()`),
  'its label': (tab) => tab.click('label[for=check]'),
  'the browser, because the form is invalid': (tab) => tab.click(send),
};

export const formFlows: Flows = {
  async 'a plain form is sent once by a double click, and after Back it can be sent again'(
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
    // Some drivers wait for the page after the click.
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

  async 'an element that is focused before its image is displayed moves the focus to the field'(
    t,
    { site, visitor },
  ) {
    const tab = await visitor.openTab();
    for (const [way, focus] of Object.entries(focusing)) {
      const release = site.front.hold('GET /client/element/view/captcha-view.js');
      await tab.open(`${site.front.address}${formsPath}label.html`);
      await tab.waitFor(isReady);
      await tab.fill(text, 'words');
      await focus(tab);
      await tab.waitFor(`document.activeElement === ${element}`);
      release();
      await tab.waitFor(isFocused(answer));
      t.pass(way);
    }
  },

  async 'an element that names its form adds its fields from outside of it'(t, { site, visitor }) {
    site.delivered.length = 0;
    const tab = await visitor.openTab();
    await tab.open(`${site.front.address}${formsPath}outside.html`);
    await tab.waitFor(isReady);
    await tab.fill(text, 'outside');
    await tab.click(send);
    await waitUntilDelivered(tab);
    t.match(site.delivered, [{ text: 'outside', powToken: /^\w{40}$/ }]);
  },

  async 'a floating box covers nothing, stays closed after Escape, and opens at its field'(
    t,
    { site, visitor },
  ) {
    const tab = await visitor.openTab();
    for (const [page, width, floats] of [
      ['floating.html', 1280, true],
      ['crowded.html', 1280, false],
      ['crowded.html', 360, false],
    ] as const) {
      await tab.resize(width);
      await tab.open(`${site.front.address}${formsPath}${page}`);
      await tab.waitFor(isReady);
      await tab.waitFor(isShown('[data-placed] #answer'));
      t.equal(await tab.evaluate(`${find('.box')}.hasAttribute('data-floats')`), floats, `${page} ${width}`);
      t.same(await tab.evaluate(covered), []);
    }
    await tab.resize(1280);
    await tab.open(`${site.front.address}${formsPath}floating.html`);
    await tab.waitFor(isReady);
    await tab.fill(text, 'words');
    await tab.waitFor(isShown('[data-placed] #answer'));
    await tab.press('Escape');
    await tab.waitFor(`!${isShown(answer)}`);
    t.equal(await tab.evaluate(isFocused(text)), true, 'the focus does not move');
    await tab.evaluate(`new Promise((done) => setTimeout(done, 500))`);
    t.equal(await tab.evaluate(isShown(answer)), false, 'it stays closed');
    await tab.click(send);
    await tab.waitFor(isFocused(answer));
    await tab.press('Escape');
    await tab.waitFor(`!${isShown(answer)}`);
    await tab.waitFor(isFocused(send));
    await focusing['a script']?.(tab);
    await tab.waitFor(isFocused(answer));
  },

  async 'a script that handles the submission sends a double click once'(t, { site, visitor }) {
    site.delivered.length = 0;
    const tab = await visitor.openTab();
    await tab.open(`${site.front.address}${formsPath}contact.html`);
    await tab.waitFor(isReady);
    await tab.evaluate(`void document.forms[0].addEventListener('submit', async (event) => {
      event.preventDefault();
      globalThis.sent = (globalThis.sent ?? 0) + 1;
      await ${element}.controller.submit((fields) => fetch(event.target.action, {
        method: 'POST',
        body: new URLSearchParams([...new FormData(event.target), ...Object.entries(fields)]),
      }));
    })`);
    for (const count of [1, 2]) {
      await tab.fill(text, `words ${count}`);
      await tab.doubleClick(send);
      await until(() => site.delivered.length === count, `submission ${count} arrives`);
      await tab.waitFor(`${isReady} && !${element}.controller.isSubmitting`);
      t.equal(await tab.evaluate('sent'), count);
    }
    t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 2);
  },

  async 'libraries send a form repeatedly, also after refusals and lost requests, and drafts cost nothing'(
    t,
    { site, visitor },
  ) {
    const tab = await visitor.openTab();
    for (const page of Object.keys(libraryPages)) {
      site.delivered.length = 0;
      site.front.answered.length = 0;
      await tab.open(`${site.front.address}${formsPath}${page}`);
      await tab.waitFor(isReady);
      await tab.evaluate(`void document.forms[0].addEventListener('input', () => {
        globalThis.drafts = (globalThis.drafts ?? 0) + [...new FormData(document.forms[0])].length;
        fetch('/icon.svg');
      })`);
      const statuses = () =>
        site.front.answered
          .filter((line) => line.startsWith(`POST ${formsPath}`))
          .map((line) => line.split(' ')[2]);
      for (const [index, word] of ['wrong', 'one', 'two', 'three'].entries()) {
        await tab.fill(text, word);
        await tab.click(send);
        await until(() => statuses().length > index, `${page}: a response to ${word}`);
      }
      t.same(statuses(), ['422', '200', '200', '200'], page);
      const works = `performance.getEntriesByType('resource').filter(({ name }) => /captcha.pow/.test(name)).length`;
      t.ok((await tab.evaluate<number>(works)) <= 5, page);

      const later = { status: 503, headers: { 'content-type': 'text/plain' }, body: 'later' };
      const ends = ['contact', 'stream'].map((path) => site.front.refuse(`POST ${formsPath}${path}`, later));
      await tab.fill(text, 'four');
      await tab.click(send);
      await until(() => statuses().at(-1) === '503', `${page}: an outage`);
      for (const end of ends) end();
      await tab.waitFor(isEnabled);
      await tab.click(send);
      await until(() => site.delivered.length === 4, `${page}: after the outage`);

      await tab.waitFor(`${isReady} && ${isEnabled}`);
      await tab.evaluate(`(() => {
        const lose = () => { globalThis.isLost = true; };
        for (const name of ['htmx:sendError', 'turbo:fetch-request-error']) document.addEventListener(name, lose);
        globalThis.jQuery?.(document).on('ajaxError', lose);
      })()`);
      await tab.fill(text, 'five');
      await tab.waitFor(isReady);
      const restore = await site.front.cut();
      await tab.click(send);
      await tab.waitFor('globalThis.isLost');
      await restore();
      await tab.waitFor(isEnabled);
      await tab.click(send);
      await until(() => site.delivered.length === 5, `${page}: after a lost request`);
      t.same(
        site.delivered.map(({ text }) => text),
        ['one', 'two', 'three', 'four', 'five'],
        page,
      );
      t.equal(new Set(site.delivered.map(({ powToken }) => powToken)).size, 5);
      // A later one would count for the next page.
      await until(
        () => statuses().filter((status) => status === '200').length === 5,
        `${page}: the last response`,
      );
    }
  },
};
