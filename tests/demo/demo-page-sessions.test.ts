// The demo page in several tabs and browsers: a session ended in one is over in the others.
import t from 'tap';
import { openDemo, submit, visit, waitForAccount, waitForForm } from './demo-page-visit.js';

const password = 'a password of these tests';
const emails = [
  'tabs@example.com',
  'everywhere@example.com',
  'list@example.com',
  'others@example.com',
] as const;
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

const { system, browser } = await openDemo(t, { accounts: emails.map((email) => ({ email, password })) });

/** A user logs in with another browser. */
async function signIn(t: Parameters<typeof visit>[0], email: string, userAgent?: string) {
  const opened = await visit(t, browser, system, userAgent === undefined ? {} : { userAgent });
  await waitForForm(opened.page);
  await submit(opened.page, email, password);
  await waitForAccount(opened.page, email);
  return opened;
}

t.test('tabs share the session: a second one has it, and a login in one reaches the other', async (t) => {
  const [email] = emails;
  const { page, openTab } = await signIn(t, email);
  const second = await openTab();
  await waitForAccount(second, email);
  await second.click('#log-out');
  for (const tab of [page, second]) await waitForForm(tab);
  await submit(page, email, password);
  for (const tab of [page, second]) await waitForAccount(tab, email);
});

t.test('a logout everywhere reaches the other tab and the other browser', async (t) => {
  const email = emails[1];
  const elsewhere = await signIn(t, email, firefox);
  const { page, openTab } = await signIn(t, email);
  const second = await openTab();
  await waitForAccount(second, email);
  await page.click('#log-out-everywhere');
  for (const tab of [page, second]) {
    await waitForForm(tab);
    t.equal(await tab.textContent('#notice'), 'You are logged out.');
  }
  await elsewhere.page.click('#call');
  await waitForForm(elsewhere.page);
  t.match(await elsewhere.page.textContent('#notice'), 'The session was ended from elsewhere.');
});

t.test('the list names every browser, and ends another session at once', async (t) => {
  const email = emails[2];
  const elsewhere = await signIn(t, email, firefox);
  const { page } = await signIn(t, email);
  const names = page.locator('#sessions strong');
  await names.nth(1).waitFor();
  t.same(await names.allTextContents(), ['Chrome on Linux', 'Firefox on Windows']);
  t.equal(await page.locator('#sessions li').first().locator('.chip').textContent(), 'this browser');
  await page.getByRole('button', { name: 'End the session: Firefox on Windows' }).click();
  await page.waitForSelector('#sessions-title:focus');
  await page.locator('#notice[data-kind="good"]').waitFor();
  await names.nth(1).waitFor({ state: 'detached' });
  t.equal(await page.isVisible('#end-others'), false);
  await elsewhere.page.click('#call');
  await waitForForm(elsewhere.page);
});

t.test('all other sessions can be ended together', async (t) => {
  const email = emails[3];
  const others = [await signIn(t, email, firefox), await signIn(t, email, firefox)];
  const { page } = await signIn(t, email);
  await page.locator('#sessions li').nth(2).waitFor();
  const names = ['Chrome on Linux', 'Firefox on Windows', 'Firefox on Windows (2)'];
  t.same(await page.locator('#sessions strong').allTextContents(), names);
  for (const name of names.slice(1)) {
    const button = page.getByRole('button', { name: `End the session: ${name}`, exact: true });
    t.equal(await button.count(), 1, 'two sessions of one browser had buttons of one name');
  }
  await page.click('#end-others');
  await page.locator('#sessions li').nth(1).waitFor({ state: 'detached' });
  t.equal(await page.textContent('#notice'), 'All other sessions are over.');
  for (const other of others) {
    await other.page.reload();
    await waitForForm(other.page);
  }
});
