// A service that is slow, refuses, is missing or is restarted: the page says so, and goes on when that is over.
import { find } from '../support/engines/engine.js';
import { textOf } from './demo-page.js';
import type { Flows } from './flows.js';
import { accountOf } from './site.js';

const work = 'GET /api/captcha/pow';

export const outageFlows: Flows = {
  async 'no work is issued: the element says why, and goes on by itself'(t, { site, openPage }) {
    const restart = await site.stopService('challenge-service');
    const page = await openPage();
    await page.waitForChallenge('error');
    t.match(await page.word(), /^The security check is not available at the moment\. /);
    restart();
    await page.waitForChallenge('ready');
    t.equal(await page.word(), 'Done.', 'a service that was restarted');

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
    t.pass('a service that refused');

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

  async 'nobody can sign in or renew a session: the page says what to do'(t, { site, openPage }) {
    const account = accountOf('outage');
    const page = await openPage();
    await page.waitForForm();
    let restart = await site.stopService('session-service');
    await page.submit(account);
    await page.tab.waitFor(`${textOf('#notice')} !== ''`);
    t.equal(await page.notice(), 'The service does not answer. Try again shortly.');
    restart();
    await page.signIn(account);

    restart = await site.stopService('session-service');
    await page.tab.reload();
    await page.see('look again');
    t.match(await page.tab.evaluate(textOf('#looking-problem')), "We can't reach the server");
    restart();
    await page.waitForAccount(account.email);
    t.pass('a page that was loaded meanwhile asks again by itself');

    restart = await site.stopService('session-service');
    await page.waitForForm();
    t.equal(await page.notice(), 'The server was unavailable for too long. Please sign in again.');
    restart();
    await page.signIn(account);
    t.pass('longer than an access token lasts: only a new sign-in helps');
  },
};
