// Accessibility of the demo page: axe findings, widths, names, and keyboard use, in each of its states.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Test } from 'tap';
import { isShown, type Scheme, type Tab, WIDTH } from '../../src/engines/engine.js';
import { type Control, type DemoPage, openDemoPage } from './demo-page.js';
import type { Flows, Stage } from './flows.js';
import { accountOf } from './site.js';

const widths = [320, WIDTH];
// Part of the browser package, which is tested with it as well.
const require = createRequire(new URL('../../../../packages/client/package.json', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Findings in a page; empty if it is correct. */
interface Findings {
  readonly violations: readonly string[];
  /** Names shared by several controls. */
  readonly sameNames: readonly string[];
  /** How much wider than the window the page is. */
  readonly overflow: number;
}

const nothing: Findings = { violations: [], sameNames: [], overflow: 0 };

const examine = `(async () => {
  const { violations } = await axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } });
  axe.setup();
  const names = axe.utils
    .querySelectorAll(axe._tree, 'a[href], button, input, select, textarea, summary')
    .filter((control) => axe.commons.dom.isVisibleToScreenReaders(control))
    .map((control) => axe.commons.text.accessibleTextVirtual(control));
  axe.teardown();
  return {
    violations: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')),
    sameNames: names.filter((name, at) => names.indexOf(name) !== at),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
})()`;

/** Examines the page at each width, and leaves it at the last one. */
async function check(t: Test, tab: Tab, state: string): Promise<void> {
  if (!(await tab.evaluate<boolean>(`'axe' in globalThis`))) await tab.evaluate(`(() => { ${axe}; })()`);
  for (const width of widths) {
    await tab.resize(width);
    // By then, scripts have drawn for the new width.
    await tab.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
    );
    t.strictSame(await tab.evaluate<Findings>(examine), nothing, `${state}, ${width} pixels wide`);
  }
}

async function walk(t: Test, { site, browser, visitor }: Stage, scheme: Scheme): Promise<void> {
  await visitor.leave();
  const person = await browser.visit(scheme);
  t.teardown(() => person.leave());
  const account = accountOf(scheme);
  const tab = await person.openTab();
  const page = await openDemoPage(tab, site);
  t.equal(await tab.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`), scheme === 'dark');
  await page.waitForForm();
  await check(t, tab, 'a form whose work is done');

  const release = site.front.hold('GET /api/captcha/pow');
  await page.fail(account.email);
  await page.waitForChallenge('solving');
  await check(t, tab, 'a wrong password, and the device works');
  release();
  await page.waitForChallenge('ready');
  await page.fail(account.email);
  await page.see('answer');
  await page.waitForChallenge('ready');
  await check(t, tab, 'an image');
  await checkInside(t, tab);

  const issue = site.front.hold('GET /api/captcha');
  await page.click('work or image');
  await tab.waitFor(`!${isShown('input#answer')}`);
  await check(t, tab, 'work in place of the image');
  issue();
  await page.submit(account);
  await page.waitForAccount(account.email);
  t.equal(await page.callProfile(), 200);
  await check(t, tab, 'signed in');

  const restart = await site.stopService('session-service');
  // As a phone loads it: without a previous layout for a wider window.
  await tab.resize(320);
  await tab.reload();
  await page.see('look again');
  await check(t, tab, 'no response about the session');
  restart();
  await page.waitForAccount(account.email);
}

/** The image is not cut off at the smallest width. */
async function checkInside(t: Test, tab: Tab): Promise<void> {
  await tab.resize(320);
  const outside = `(() => {
    const element = document.querySelector('tollgate-challenge');
    const outer = element.getBoundingClientRect();
    return [...element.shadowRoot.querySelectorAll('img, input, button')]
      .filter((part) => part.checkVisibility())
      .map((part) => [part.localName, part.getBoundingClientRect()])
      .filter(([, { left, right }]) => left < outer.left || right > outer.right)
      .map(([name]) => name);
  })()`;
  t.strictSame(await tab.evaluate(outside), []);
  await tab.resize(WIDTH);
}

/** Presses Tab until the control has the focus. @returns the number of presses, at most 20 */
async function tabTo(page: DemoPage, control: Control): Promise<number> {
  for (let presses = 1; presses <= 20; presses += 1) {
    await page.tab.press('Tab');
    if (await page.hasFocus(control)) return presses;
  }
  throw new Error(`Tab does not lead to ${control}`);
}

export const accessFlows: Flows = {
  'every state is accessible: light': (t, stage) => walk(t, stage, 'light'),
  'every state is accessible: dark': (t, stage) => walk(t, stage, 'dark'),

  async 'keyboard-only login and logout, also with an image'(t, { site, openPage }) {
    const { email, password } = accountOf('keyboard');
    const page = await openPage();
    const { tab } = page;
    await page.waitForForm();
    await page.waitForFocus('password');
    await tab.press('Shift+Tab');
    await page.waitForFocus('email');
    await tab.type(email);
    t.equal(await tabTo(page, 'password'), 1);
    await tab.type('a wrong password');
    t.equal(await tabTo(page, 'show password'), 1);
    await tab.press('Space');
    await tab.waitFor(`document.getElementById('password').type === 'text'`);
    t.pass('the password can be shown');
    t.equal(await tabTo(page, 'remember'), 1);
    t.equal(await tabTo(page, 'sign in'), 1);
    for (const failures of [1, 2]) {
      const before = await page.bits();
      await tab.press('Enter');
      await tab.waitFor(`Number(document.getElementById('bits').textContent) > ${before}`);
      await page.waitForChallenge('ready');
      // The page selects the wrong password, to be overwritten.
      await page.waitForFocus('password');
      if (failures === 1) await tab.type('wrong again');
    }
    await page.see('answer');
    await tab.type(password);
    const way: Control[] = ['show password', 'remember', 'answer', 'new image', 'work or image', 'sign in'];
    for (const control of way) t.equal(await tabTo(page, control), 1, control);
    for (const control of ['work or image', 'new image', 'answer'] as const) {
      await tab.press('Shift+Tab');
      t.ok(await page.hasFocus(control), `back to ${control}`);
    }
    await tab.type(site.front.imageAnswer());
    await tab.press('Enter');
    await page.waitForAccount(email);
    await page.waitForFocus('title');
    await tabTo(page, 'log out');
    await tab.press('Enter');
    await page.waitForForm();
    await page.waitForFocus('password');
    t.equal(await tab.evaluate(`document.getElementById('password').type`), 'password', 'hidden again');
  },
};
