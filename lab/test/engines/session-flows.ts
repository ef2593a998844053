// A session: login, reload, renewal, a second tab, logout; and all of that from another origin.
import { until } from '@tollgate/test-support/until.js';
import { find } from '../../src/engines/engine.js';
import { textOf, waitForRefreshes } from './demo-page.js';
import type { Flows } from './flows.js';
import { accountOf } from './site.js';

export const sessionFlows: Flows = {
  async 'a session on http://localhost lasts through reloads, renewals and tabs, until the logout'(
    t,
    { site, openPage },
  ) {
    const account = accountOf('session');
    t.equal(new URL(site.system.address).protocol, 'http:');
    const first = await openPage();
    // As set by a version that always used Secure.
    await first.tab.evaluate(`document.cookie = 'refreshToken=left; Path=/refresh; Secure'`);
    const { answered, hold } = site.front;
    answered.length = 0;
    const release = hold('GET /sessions', 'body');
    await first.signIn(account);
    await until(() => answered.includes('GET /sessions 200'), 'the first half of a response is sent');
    await first.tab.reload();
    release();
    await first.waitForAccount(account.email);
    t.pass('a reload in the middle of a response');

    await waitForRefreshes(first, 3);
    await first.waitForAccount(account.email);
    t.equal(await first.callProfile(), 200, 'renewals');

    const second = await openPage();
    await second.waitForAccount(account.email);
    t.equal(await second.callProfile(), 200, 'a second tab');
    await second.click('log out');
    for (const page of [second, first]) {
      await page.tab.show();
      await page.waitForForm();
      t.equal(await page.notice(), 'You are logged out.');
    }
    await first.tab.reload();
    await first.waitForForm();
    t.pass('and the logout lasts');

    await first.signIn(account);
    await second.waitForAccount(account.email);
    t.pass('a login in one tab reaches the other');
  },

  async 'a session is bound to a key of the browser: its copied cookie is rejected, and its page continues'(
    t,
    { site, openPage },
  ) {
    const { address, cookies } = site.front;
    const account = accountOf('theft');
    /** A refresh with only the copied newest cookie. */
    const refreshElsewhere = async () => {
      const cookie = cookies.at(-1)?.cookie ?? '';
      const answer = await fetch(`${address}/refresh`, { method: 'POST', headers: { cookie } });
      return `${answer.status} ${((await answer.json()) as { code: string }).code}`;
    };
    const page = await openPage();
    cookies.length = 0;
    await page.signIn(account);
    t.match(cookies, [{ what: 'POST /login', hasProof: true, binding: 'key' }], 'from the login on');
    t.equal(await refreshElsewhere(), '401 binding_required');

    await waitForRefreshes(page, 2);
    await page.tab.reload();
    await page.waitForAccount(account.email);
    await waitForRefreshes(page, 2);
    const renewals = cookies.filter(({ what }) => what === 'POST /refresh');
    t.ok(renewals.length >= 4);
    t.same(
      renewals.filter(({ hasProof, binding }) => !hasProof || binding !== 'key'),
      [],
      'renewals and a reload show the key',
    );
    t.equal(await refreshElsewhere(), '401 binding_required');
    t.equal(await page.callProfile(), 200, 'a theft ends no session');
    const isReadable = `new Promise((resolve, reject) => {
      const opening = indexedDB.open('tollgate');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const all = opening.result.transaction('keys').objectStore('keys').getAll();
        all.onsuccess = () => {
          opening.result.close();
          resolve(all.result.map(({ privateKey }) => privateKey.extractable));
        };
      };
    })`;
    t.same(await page.tab.evaluate(isReadable), [false], 'no script can read the key');
  },

  async 'a page of another origin logs in, refreshes, requests and logs out'(t, { site, visitor }) {
    const { email, password } = accountOf('elsewhere');
    const tab = await visitor.openTab();
    const isStatus = (status: string) => `${textOf('#status')} === '${status}'`;
    const call = async () => {
      await tab.evaluate(`${find('#answer')}.textContent = ''`);
      await tab.click('#call');
      await tab.waitFor(`${textOf('#answer')} !== ''`);
      return tab.evaluate(textOf('#answer'));
    };
    await tab.open(site.elsewhere.address);
    await tab.waitFor(isStatus('signed-out'));
    await tab.fill('#email', email);
    await tab.fill('#password', password);
    await tab.click('#submit');
    await tab.waitFor(isStatus('signed-in'));
    t.equal(await call(), `200 ${email}`);

    await tab.reload();
    await tab.waitFor(isStatus('signed-in'));
    t.equal(await call(), `200 ${email}`, 'a reload');
    await tab.waitFor(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/refresh')).length >= 3`,
    );
    t.equal(await call(), `200 ${email}`, 'renewals');
    await tab.click('#log-out');
    await tab.waitFor(isStatus('signed-out'));
    await tab.reload();
    await tab.waitFor(isStatus('signed-out'));
  },
};
