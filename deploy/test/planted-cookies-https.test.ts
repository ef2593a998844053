// A page on a sibling subdomain plants a valid refresh cookie of its own: over https, in a real browser.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { type System, startSystem } from '../src/system.js';
import { openBrowser, pageEnvironment } from './demo-page-visit.js';
import { solve, type Work } from './e2e/work.js';
import { freePort, runCaddy } from './gateway-programs.js';

const HOST = 'app.shop.test';
const SIBLING = 'evil.shop.test';
const THIEF = { email: 'thief@example.com', password: 'the password of the thief' };
const PATHS = ['/', '/auth', '/auth/', '/auth/refresh'];
const PLACES = PATHS.flatMap((path) => [`Path=${path}`, `Path=${path}; Partitioned`]);

let system: System;
let browser: Browser;
let port: number;

t.setTimeout(120_000);

t.before(async () => {
  port = await freePort();
  const environment = { ...pageEnvironment(t.testdir()), PUBLIC_URL: `https://${HOST}:${port}/auth` };
  [system, browser] = await Promise.all([
    startSystem({ environment, accounts: [THIEF] }),
    openBrowser([`--host-resolver-rules=MAP *.shop.test 127.0.0.1`]),
  ]);
  const caddyfile = `{
  admin off
  auto_https disable_redirects
  skip_install_trust
}
https://${SIBLING}:${port} {
  tls internal
  respond "a page of somebody else"
}
https://${HOST}:${port} {
  tls internal
  reverse_proxy 127.0.0.1:${system.gatewayPort}
}`;
  await runCaddy(t, caddyfile, {}, port);
});

t.teardown(async () => {
  await browser?.close();
  await system?.stop();
});

t.test('one refresh is refused, and the log-in that follows works for good', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  for (const place of PLACES) {
    await plant(context, place, (await stolenSession()).cookie);
    t.equal(await send(page, 'refresh'), '401 cookie_conflict', place);
    t.equal(await send(page, 'refresh'), '200', 'the planted cookie is gone');
    t.equal(await logIn(page), '200');
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`${HOST} /auth/refresh`]);
  }
});

t.test('a log-in after the planting ends the conflict at once', async (t) => {
  const { context, page } = await openPage(t);
  for (const place of PLACES) await plant(context, place, (await stolenSession()).cookie);
  t.equal((await refreshCookies(context)).length, PLACES.length, 'all of them are there');
  t.equal(await logIn(page), '200');
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`${HOST} /auth/refresh`]);
});

t.test('a planted session that has ended disturbs nobody', async (t) => {
  const { context, page } = await openPage(t);
  t.equal(await logIn(page), '200');
  for (const place of PLACES) {
    const { cookie, accessToken } = await stolenSession();
    await fetch(`http://127.0.0.1:${system.ports.session}/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
    });
    await plant(context, place, cookie);
  }
  for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
  t.strictSame(await refreshCookies(context), [`${HOST} /auth/refresh`]);
});

t.test(
  'a sibling that plants again after every answer keeps the owner out for as long as its page is open',
  async (t) => {
    const { context, page } = await openPage(t);
    const { cookie } = await stolenSession();
    for (let n = 0; n < 2; n++) {
      t.equal(await logIn(page), '200');
      await plant(context, 'Path=/auth/refresh; Partitioned', cookie);
      t.equal(await send(page, 'refresh'), '401 cookie_conflict');
    }
    t.equal(await logIn(page), '200');
    t.equal(await send(page, 'refresh'), '200', 'and no longer');
  },
);

async function openPage(t: Test) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  t.teardown(() => context.close());
  const page = await context.newPage();
  // A file of the site, which asks for nothing by itself.
  await page.goto(`${system.address}/app.js`);
  return { page, context };
}

/** The sibling's own page sets the cookie, with whatever a page can say. */
async function plant(context: BrowserContext, place: string, value: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`https://${SIBLING}:${port}/`);
  const cookie = `refreshToken=${value}; Domain=shop.test; ${place}; Secure; SameSite=Lax; Max-Age=604800`;
  await page.evaluate(`document.cookie = ${JSON.stringify(cookie)}`);
  await page.close();
}

async function logIn(page: Page): Promise<string> {
  return send(page, 'login', { ...system.demo, ...(await solvedWork()) });
}

/** Sends a request as a page of the site does. @returns its status and, of a refusal, its code */
async function send(page: Page, path: string, body?: object): Promise<string> {
  return page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' };
      const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const response = await fetch(`/auth/${path}`, { method: 'POST', ...init });
      const { code } = (await response.json()) as { code?: string };
      return [response.status, code].filter(Boolean).join(' ');
    },
    [path, body] as const,
  );
}

async function solvedWork() {
  const response = await fetch(`http://127.0.0.1:${system.ports.challenge}/api/captcha/pow`);
  const work = (await response.json()) as Work;
  return { pow_token: work.token, pow_nonce: solve(work) };
}

/** A session of somebody else: the value of its cookie, and its access token. */
async function stolenSession(): Promise<{ cookie: string; accessToken: string }> {
  const response = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...THIEF, ...(await solvedWork()) }),
  });
  const cookie = response.headers.getSetCookie()[0]?.match(/=([^;]+)/)?.[1] ?? '';
  return { cookie, accessToken: ((await response.json()) as { accessToken: string }).accessToken };
}

async function refreshCookies(context: BrowserContext): Promise<string[]> {
  return (await context.cookies())
    .filter(({ name }) => name.endsWith('refreshToken'))
    .map(({ domain, path }) => `${domain} ${path}`);
}
