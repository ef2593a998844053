// Device Bound Session Credentials in a Chromium that supports them: registration, renewals, and no false logout.

import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import t from 'tap';
import { becomes, logInAt, openTab } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

t.setTimeout(300_000);

const executablePath = process.env.CHROMIUM_DBSC;
const features = [
  'DeviceBoundSessions:RequireOriginTrialTokens/false/RefreshQuota/false',
  'EnableBoundSessionCredentialsSoftwareKeysForManualTesting',
];

const skip = executablePath
  ? false
  : 'SKIPPED device-bound browser tests: no Chromium 149 or 150 (CHROMIUM_DBSC)';

t.test('a browser keeps its session key', { skip }, async (t) => {
  const site = await startSessionSite(t, { BOUND_COOKIE_TTL: '130' });
  const profile = tempDir(t);
  const launch = async (): Promise<BrowserContext> => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: String(executablePath),
      args: ['--headless', '--no-sandbox', '--disable-gpu', `--enable-features=${features.join(',')}`],
    });
    t.teardown(() => context.close());
    return context;
  };
  let context = await launch();
  let page = await openTab(context, site, { hint: false });
  const boundCookie = async () =>
    (await context.cookies(`${site.address}/refresh`)).find(({ name }) => name === 'refreshBinding');
  const dropCookie = () => context.clearCookies({ name: 'refreshBinding' });

  await t.test('it registers after the login', async (t) => {
    t.equal(await logInAt(page, site), 200);
    await until(async () => (await boundCookie()) !== undefined);
    t.equal(site.count('POST /refresh/bind'), 1);
    const renewals = site.count('POST /refresh/renew');
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
    t.equal(site.count('POST /refresh/renew'), renewals, 'the cookie matches its announcement');
  });

  await t.test('its copied refresh cookie is rejected, and it continues', async (t) => {
    t.same(await refreshElsewhere(site, context), { status: 401, code: 'binding_required' });
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
  });

  await t.test('it renews an expired cookie, once for three tabs', async (t) => {
    const tabs = [page, await openTab(context, site), await openTab(context, site)];
    await dropCookie();
    const before = site.count('POST /refresh/renew');
    const answers = await Promise.all(tabs.map(resumeAnew));
    for (const answer of answers) t.match(answer, { isSignedIn: true, binding: 'dbsc' });
    t.equal(site.count('POST /refresh/renew') - before, 2, 'a challenge and its proof');
    for (const tab of tabs.slice(1)) await tab.close();
  });

  await t.test('a short store outage logs nobody out', async (t) => {
    await dropCookie();
    site.fail('POST /refresh/renew', 503, { 'retry-after': '1' });
    const resumed = resumeAnew(page);
    await until(() => site.requests.slice(-3).includes('POST /refresh'));
    site.restore();
    t.match(await resumed, { isSignedIn: true, binding: 'dbsc' });
  });

  await t.test('a second login replaces the first session, and continues', async (t) => {
    const bindings = site.count('POST /refresh/bind');
    t.equal(await logInAt(page, site), 200);
    await until(() => site.count('POST /refresh/bind') > bindings);
    await until(async () => (await boundCookie()) !== undefined);
    await dropCookie();
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
    await dropCookie();
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
  });

  await t.test('a restart keeps session and key', async (t) => {
    await context.close();
    context = await launch();
    await dropCookie();
    page = await openTab(context, site, { hint: false });
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
  });

  await t.test('a logout ends it, and the next login registers again', async (t) => {
    await page.evaluate(() => session.logout());
    await becomes(page, 'signed-out');
    t.equal(await boundCookie(), undefined);
    t.equal(await logInAt(page, site), 200);
    await until(async () => (await boundCookie()) !== undefined);
    t.match(await resumeAnew(page), { isSignedIn: true, binding: 'dbsc' });
  });
});

/** Reloads the page and resumes its session. @returns the binding in the last response */
async function resumeAnew(page: Page): Promise<{ isSignedIn: boolean; binding: string | undefined }> {
  let binding: string | undefined;
  page.on('response', (response) => {
    if (response.url().endsWith('/refresh')) binding = response.headers()['refresh-binding'] ?? binding;
  });
  await page.reload();
  await page.waitForFunction(() => 'session' in globalThis);
  return { isSignedIn: await page.evaluate(() => session.resume()), binding };
}

/** Refreshes with a copy of the refresh cookie only. */
async function refreshElsewhere(site: SessionSite, context: BrowserContext) {
  const cookies = await context.cookies(`${site.address}/refresh`);
  const cookie = `refreshToken=${cookies.find(({ name }) => name === 'refreshToken')?.value}`;
  const answer = await fetch(`${site.address}/refresh`, { method: 'POST', headers: { cookie } });
  return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
}

/** Waits for a condition; fails after ten seconds. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const limitMs = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > limitMs) throw new Error('the condition was not met within ten seconds');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
