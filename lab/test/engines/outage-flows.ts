// A slow, rejecting, missing or restarted service: the page reports it, and continues afterwards.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@tollgate/test-support/until.js';
import { find, isShown } from '../../src/engines/engine.js';
import { textOf } from './demo-page.js';
import type { Flows } from './flows.js';
import type { OwnAnswer } from './front.js';
import { accountOf } from './site.js';

const work = 'GET /api/captcha/pow';
const refreshing = 'POST /refresh';
const isUnreachable = `${isShown('#looking-problem')} && /^We can't reach the server/.test(${textOf('#looking-problem')})`;

export const outageFlows: Flows = {
  async 'no work is issued: the element shows the reason, and continues by itself'(t, { site, openPage }) {
    const restart = await site.stopService('challenge-service');
    const page = await openPage();
    await page.waitForChallenge('error');
    t.match(await page.word(), /^The security check is not available at the moment\. /);
    restart();
    await page.waitForChallenge('ready');
    t.equal(await page.word(), 'Done.', 'a restarted service');

    const end = site.front.refuse(work, {
      status: 429,
      headers: { 'retry-after': '2', 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Too many requests.', code: 'rate_limited' }),
    });
    await page.tab.reload();
    await page.waitForChallenge('error');
    t.match(await page.word(), /^Too many requests\. /);
    end();
    await page.waitForChallenge('ready');
    t.pass('a rejecting service');

    const release = site.front.hold(work);
    await page.tab.reload();
    await page.waitForChallenge('solving');
    t.equal(await page.word(), 'Your device is working on it…');
    const account = accountOf('outage');
    await page.fill('email', account.email);
    await page.fill('password', account.password);
    await page.click('sign in');
    const announced = `${find('tollgate-challenge')}.shadowRoot.querySelector('[role=status]').textContent`;
    await page.tab.waitFor(`${announced} === 'The form will be sent as soon as the security check is done.'`);
    release();
    await page.waitForAccount(account.email);
    t.pass('a slow service: the form was sent by itself');
  },

  async 'login and refresh fail: the page shows the remedy'(t, { site, openPage }) {
    const account = accountOf('outage');
    const page = await openPage();
    await page.waitForForm();
    let restart = await site.stopService('session-service');
    await page.submit(account);
    await page.tab.waitFor(`${textOf('#notice')} !== ''`);
    t.equal(await page.notice(), 'The service does not respond. Try again shortly.');
    restart();
    await page.signIn(account);

    restart = await site.stopService('session-service');
    await page.tab.reload();
    await page.see('look again');
    t.match(await page.tab.evaluate(textOf('#looking-problem')), "We can't reach the server");
    restart();
    await page.waitForAccount(account.email);
    t.pass('a page loaded meanwhile retries by itself');

    restart = await site.stopService('session-service');
    await page.tab.waitFor(isUnreachable);
    restart();
    await page.waitForAccount(account.email);
    t.pass('longer than an access token lasts: no new login is required');
  },

  async 'a browser that woke up before its network is still signed in'(t, { site, browser, openPage }) {
    const account = accountOf('sleep');
    const page = await openPage();
    await page.signIn(account);
    const logIns = site.front.answered.filter((one) => one.startsWith('POST /login ')).length;
    const wake = browser.sleep();
    t.teardown(wake);
    const mend = await site.front.cut();
    // Longer than the lifetime of an access token.
    await pause(6_000);
    wake();
    await page.tab.waitFor(isUnreachable);
    await pause(3_000);
    await mend();
    await page.waitForAccount(account.email);
    t.equal(await page.callProfile(), 200);
    t.equal(site.front.answered.filter((one) => one.startsWith('POST /login ')).length, logIns);
  },

  async 'a response from elsewhere logs nobody out'(t, { site, openPage }) {
    const account = accountOf('portal');
    const page = await openPage();
    await page.signIn(account);
    const html = { 'content-type': 'text/html' };
    const body = '<!doctype html><title>Welcome to our Wi-Fi</title>';
    site.front.serve('/welcome', { headers: html, body });
    const answers: readonly OwnAnswer[] = [
      ...[500, 502, 504, 520, 511, 403, 404, 401, 200].map((status) => ({ status, headers: html, body })),
      { status: 302, headers: { location: '/welcome' }, body: '' },
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"accessToken":"x","expi' },
      { status: 403, headers: { 'content-type': 'application/json' }, body: '{"code":"session_revoked"}' },
    ];
    for (const answer of answers) {
      const asked = site.front.answered.length;
      const end = site.front.refuse(refreshing, answer);
      if (answer === answers[0]) await page.tab.waitFor(isUnreachable);
      else await page.click('look again');
      const isAnswered = () =>
        site.front.answered.slice(asked).some((one) => one.startsWith(`${refreshing} ${answer.status}`));
      await until(isAnswered, `the answer ${answer.status}`);
      await page.tab.waitFor(isUnreachable);
      t.pass(`${answer.status} ${JSON.stringify(answer.headers)}`);
      if (answer !== answers.at(-1)) continue;
      end();
      await page.click('look again');
    }
    await page.waitForAccount(account.email);
    t.equal(await page.callProfile(), 200);
  },

  async 'a logout without network is remembered, in all tabs and across a reload'(t, { site, openPage }) {
    const { front } = site;
    const pending =
      'You are logged out here. The server does not respond yet; the page retries until it does.';
    const account = accountOf('leave');
    const first = await openPage();
    await first.signIn(account);
    const second = await openPage();
    await second.waitForAccount(account.email);
    const { cookie } = front.cookies.at(-1)!;
    const mend = await front.cut();
    await second.click('log out');
    for (const page of [second, first]) {
      await page.tab.show();
      await page.waitForNotice(pending);
    }
    // The page itself can be loaded again, but not the service.
    const ends = ['POST /refresh', 'DELETE /refresh'].map((what) =>
      front.refuse(what, { status: 502, body: '' }),
    );
    await mend();
    await first.tab.reload();
    await first.waitForNotice(pending);
    const refreshes = () => front.answered.filter((one) => one.startsWith(refreshing)).length;
    const before = refreshes();
    for (const end of ends) end();
    await first.waitForNotice('You are logged out.');
    await second.tab.show();
    await second.waitForNotice('You are logged out.');
    await first.tab.show();
    await first.tab.reload();
    await first.waitForForm();
    t.equal(refreshes(), before, 'no refresh was sent');
    const copied = await fetch(`${front.address}/refresh`, { method: 'POST', headers: { cookie } });
    t.match(await copied.json(), { code: 'session_revoked' }, 'the session has ended on the server');
  },
};
