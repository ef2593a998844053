// The session of the demo page on http://localhost, in three engines: sign-in, reload, renewal, a second tab.
import t from 'tap';
import { startSystem } from '../src/launcher/system.js';
import { pageEnvironment } from './demo/demo-page-visit.js';
import { openDemoPage, waitForRefreshes } from './engines/demo-page.js';
import { engines } from './engines/engines.js';
import { startServiceHere } from './support/services-here.js';

const account = { email: 'engines@example.com', password: 'a password of these tests' };

t.setTimeout(300_000);

const system = await startSystem({
  startService: startServiceHere,
  // A renewal every two seconds.
  environment: { ...pageEnvironment(t.testdir()), ACCESS_TTL: '4', RATE_LIMIT_REFRESH: '1000' },
  accounts: [account],
});
t.teardown(() => system.stop());

t.equal(new URL(system.address).protocol, 'http:');

for (const engine of engines) {
  const skip = engine.missing && `${engine.name} was not tested: ${engine.missing}`;
  t.test(`${engine.name} keeps the session on http://localhost`, { skip: skip ?? false }, async (t) => {
    const browser = await engine.launch();
    t.teardown(() => browser.close());
    const first = await openDemoPage(await browser.openTab(), system.address);
    // As a version that always said Secure would have left it.
    await first.tab.evaluate(`document.cookie = 'refreshToken=left; Path=/refresh; Secure'`);
    await first.signIn(account);

    await first.tab.reload();
    await first.waitForAccount(account.email);
    t.pass('a reload');

    await waitForRefreshes(first, 3);
    await first.waitForAccount(account.email);
    t.equal(await first.callProfile(), 200, 'renewals');

    const second = await openDemoPage(await browser.openTab(), system.address);
    await second.waitForAccount(account.email);
    t.equal(await second.callProfile(), 200, 'a second tab');
    await second.logOut();
    for (const page of [second, first]) {
      await page.waitForForm();
      t.equal(await page.notice(), 'You are logged out.');
    }
    await first.tab.reload();
    await first.waitForForm();
    t.pass('and the log-out lasts');
  });
}
