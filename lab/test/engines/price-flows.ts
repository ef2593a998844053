// The price of failures: a higher price, an image, or effort in its place.
import { isShown } from '../../src/engines/engine.js';
import type { Flows } from './flows.js';
import { accountOf, type Site } from './site.js';

/** The responses to logins since the last call. */
function logIns({ front }: Site): string[] {
  const answers = front.answered.filter((one) => one.startsWith('POST /login '));
  front.answered.length = 0;
  return answers.map((one) => one.slice('POST /login '.length));
}

export const priceFlows: Flows = {
  async 'two wrong passwords raise the price and lead to an image; a wrong answer to another'(
    t,
    { site, openPage },
  ) {
    const account = accountOf('price');
    const page = await openPage();
    await page.waitForForm();
    logIns(site);
    await page.waitForBits(4);
    t.equal(await page.fail(account.email), 'The email address or the password is wrong.');
    await page.waitForBits(6);
    await page.fail(account.email);
    await page.see('answer');
    await page.waitForBits(8);
    await page.waitForChallenge('ready');

    const first = site.front.imageAnswer();
    await page.fill('answer', 'zzzzzz');
    await page.submit(account);
    await page.tab.waitFor(`${isShown('input#answer[aria-invalid=true]')}`);
    await page.waitForFocus('answer');
    await page.waitForChallenge('ready');
    t.not(site.front.imageAnswer(), first);
    await page.fill('answer', site.front.imageAnswer());
    await page.submit(account);
    await page.waitForAccount(account.email);
    t.strictSame(logIns(site), ['422 login_failed', '422 login_failed', '422 captcha_invalid', '200']);

    await page.click('log out');
    await page.waitForForm();
    await page.waitForBits(4);
    t.pass('a success resets the price');
  },

  async 'the device works in place of the image'(t, { site, openPage }) {
    const account = accountOf('effort');
    const page = await openPage();
    await page.waitForForm();
    logIns(site);
    await page.failUntilImage(account.email);
    await page.click('work or image');
    await page.tab.waitFor(`!${isShown('input#answer')}`);
    // Sent when the work is done, without user action.
    await page.submit(account);
    await page.waitForAccount(account.email);
    t.strictSame(logIns(site), ['422 login_failed', '422 login_failed', '200']);
  },

  async 'a double click logs in once'(t, { site, openPage }) {
    const account = accountOf('session');
    const page = await openPage();
    await page.waitForForm();
    logIns(site);
    const release = site.front.hold('POST /login');
    await page.fill('email', account.email);
    await page.fill('password', account.password);
    await page.tab.doubleClick('#submit');
    release();
    await page.waitForAccount(account.email);
    await page.click('log out');
    await page.waitForForm();
    t.strictSame(logIns(site), ['200']);
  },
};
