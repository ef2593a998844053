// The life of the element in a page: moves, several forms, shadow roots, fieldsets, controllers, attributes.
import type {} from '@tollgate/client/element.js';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchBrowser, openPage } from '../support/browser.js';
import { startFormSite } from './form-site.js';

const site = await startFormSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.beforeEach(() => {
  site.delivered.length = 0;
  site.requested.length = 0;
});

const form = (attributes = '', rest = '') => `<form method="post" action="/contact" id="form">
  <input name="text" value="words">
  <tollgate-challenge ${attributes}></tollgate-challenge>
  <button id="send" name="way" value="first">Send</button>${rest}
</form>`;

const open = (t: Test, body: string, options = {}) => openPage(t, browser, site.page(body, options));

const whenReady = (page: Page) =>
  page.waitForFunction(() => document.querySelector('tollgate-challenge')?.status === 'ready');

t.test('a move within the page keeps the work; outside of it nothing goes on', async (t) => {
  const page = await open(t, `${form()}<form id="second"><button id="two">Two</button></form>`);
  await whenReady(page);
  await page.evaluate(() => {
    const element = document.querySelector('tollgate-challenge')!;
    document.querySelector('#second')?.append(element);
  });
  t.same(site.requested, ['/pow']);
  t.equal(await page.$eval('tollgate-challenge', (element) => element.form?.id), 'second');
  t.same(await page.evaluate(() => Object.keys(Object.fromEntries(new FormData(document.forms[1])))), [
    'pow_token',
    'pow_nonce',
  ]);
  t.equal(await page.isEnabled('#send'), true);
  const after = await page.evaluate(async () => {
    const element = document.querySelector('tollgate-challenge')!;
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    const left = [element.status, element.controller];
    document.forms[0]?.append(element);
    return left;
  });
  t.same(after, ['idle', null]);
  await whenReady(page);
  t.same(site.requested, ['/pow', '/pow']);
});

t.test('two forms, one of them in a shadow root, have challenges of their own', async (t) => {
  const page = await open(t, `${form()}<div id="host"></div>`);
  await page.evaluate((markup) => {
    document.querySelector('#host')!.attachShadow({ mode: 'open' }).innerHTML = markup;
  }, form());
  await page.waitForFunction(() => {
    const roots = [document, document.querySelector('#host')!.shadowRoot!];
    return roots.every((root) => root.querySelector('tollgate-challenge')?.status === 'ready');
  });
  const tokens = await page.evaluate(() => {
    const inner = document.querySelector('#host')!.shadowRoot!.querySelector('form')!;
    return [document.forms[0]!, inner].map((one) => new FormData(one).get('pow_token'));
  });
  t.not(tokens[0], tokens[1]);
  await page.click('#host #send:enabled');
  await page.waitForSelector('text=Delivered.');
  t.match(site.delivered, [{ powToken: tokens[1] }]);
});

t.test('a fieldset that is disabled switches it off, and enabled on', async (t) => {
  const page = await open(
    t,
    form()
      .replace('<tollgate', '<fieldset disabled><tollgate')
      .replace('</tollgate-challenge>', '</tollgate-challenge></fieldset>'),
  );
  await page.waitForFunction(() => customElements.get('tollgate-challenge') !== undefined);
  t.equal(await page.isEnabled('#send'), true, 'it asks nothing of the form');
  t.same(await page.$eval('form', (element) => [...new FormData(element as HTMLFormElement).keys()]), [
    'text',
  ]);
  t.same(site.requested, []);
  await page.$eval('fieldset', (fieldset) => {
    (fieldset as HTMLFieldSetElement).disabled = false;
  });
  await whenReady(page);
  t.same(site.requested, ['/pow']);
});

t.test('a page shares its controller, before the element is defined or after', async (t) => {
  const page = await open(t, form(), { head: '' });
  const result = await page.evaluate(async () => {
    const sources = ['/client/challenge.js', '/client/element.js'];
    const { createChallenge } = await import(sources[0]!);
    const controller = createChallenge({ autoStart: false, fields: { pow_token: 'shared' } });
    const element = document.querySelector('tollgate-challenge')!;
    const events: string[] = [];
    element.addEventListener('statuschange', () => events.push(element.status));
    element.controller = controller;
    await import(sources[1]!);
    await controller.refresh();
    const names = [...new FormData(document.forms[0]).keys()];
    element.remove();
    await new Promise((resolve) => setTimeout(resolve));
    const isKept = element.controller === controller && controller.status === 'ready';
    controller.close();
    return { names, isKept, events };
  });
  t.same(result, {
    names: ['text', 'shared', 'pow_nonce'],
    isKept: true,
    events: ['solving', 'ready'],
  });
  t.same(site.requested, ['/pow'], 'none of its own');
});

t.test('changed attributes make a new controller, once for all of them', async (t) => {
  const page = await open(t, form());
  await whenReady(page);
  await page.$eval('tollgate-challenge', (element) => {
    element.setAttribute('pow-token-name', 'one');
    element.setAttribute('pow-nonce-name', 'two');
  });
  await page.waitForSelector('#send:enabled');
  await whenReady(page);
  t.same(await page.$eval('form', (element) => [...new FormData(element as HTMLFormElement).keys()]), [
    'text',
    'one',
    'two',
  ]);
  t.same(site.requested, ['/pow', '/pow']);
});
