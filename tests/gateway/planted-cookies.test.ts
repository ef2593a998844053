// Planted or duplicate cookies lock a user out: in a real browser, whose rules decide which cookies conflict. Over https, a
// page on a sibling subdomain plants its own valid refresh cookie; with COOKIE_PREFIX=__Host- this has no effect.
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { launchBrowser } from '../browser/chromium.js';
import { pageEnvironment } from '../demo/demo-page-visit.js';
import { solve, type Work } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import { HOST, openSite, PATHS } from './planting-site.js';

const PLAIN_HOST = 'app.shop.localhost';
const PARENT = '.shop.localhost';
const THIEF = { email: 'thief@example.com', password: 'the password of the thief' };

/** Places where another site of the same parent, or a former owner of the name, can have left a cookie. */
const TWINS = {
  'under Path=/': [{ domain: PLAIN_HOST, path: '/' }],
  'under Path=/ of the parent domain': [{ domain: PARENT, path: '/' }],
  'under the own path of the parent domain': [{ domain: PARENT, path: '/refresh' }],
  'in all of these places': [
    { domain: PLAIN_HOST, path: '/' },
    { domain: PARENT, path: '/' },
    { domain: PARENT, path: '/refresh' },
  ],
};

let system: System;
let browser: Browser;

t.before(async () => {
  const { gateway: port } = await settlePorts(ANY_PORTS);
  const environment = {
    ...pageEnvironment(t.testdir()),
    GATEWAY_PORT: `${port}`,
    PUBLIC_URL: `http://${PLAIN_HOST}:${port}`,
  };
  [system, browser] = await Promise.all([
    startSystem({ startService: startServiceHere, environment, accounts: [THIEF] }),
    launchBrowser(),
  ]);
});

t.teardown(async () => {
  await browser?.close();
  await system?.stop();
});

t.test('a valid session planted beside the owner’s: one 401, then login and refresh work', async (t) => {
  for (const [where, places] of Object.entries(TWINS)) {
    await t.test(where, async (t) => {
      const { page, context } = await openPage(t);
      t.equal(await logIn(page), '200');
      const value = await stolenSession();
      await plant(context, places, value);
      t.equal(await send(page, '/refresh'), '401 cookie_conflict');
      t.equal(await send(page, '/refresh'), '200', 'the twins are removed, the session of the owner is not');
      t.strictSame(await refreshCookies(context), [`${PLAIN_HOST} /refresh`]);

      await plant(context, places, value);
      t.equal(await logIn(page), '200');
      const first = await send(page, '/refresh');
      t.equal(first === '401 cookie_conflict' ? await send(page, '/refresh') : first, '200');
      t.strictSame(await refreshCookies(context), [`${PLAIN_HOST} /refresh`]);
    });
  }
});

t.test('a login right after the planting ends it immediately', async (t) => {
  const { page, context } = await openPage(t);
  await plant(context, TWINS['in all of these places'], await stolenSession());
  t.equal(await logIn(page), '200');
  for (let n = 0; n < 2; n++) t.equal(await send(page, '/refresh'), '200');
  t.strictSame(await refreshCookies(context), [`${PLAIN_HOST} /refresh`]);
});

t.test(
  'a login deletes no cookie of the same name that belongs to another application of the site',
  async (t) => {
    const { page, context } = await openPage(t);
    const places = TWINS['in all of these places'];
    await plant(context, places, 'of-another-application');
    t.equal(await logIn(page), '200');
    for (let n = 0; n < 2; n++) t.equal(await send(page, '/refresh'), '200');
    const own = await refreshCookies(context);
    t.equal(own.length, places.length + 1);
    t.ok(own.includes(`${PLAIN_HOST} /refresh`));
  },
);

t.test('an invalid token locks nobody out, wherever it was planted', async (t) => {
  const { page, context } = await openPage(t);
  t.equal(await logIn(page), '200');
  await plant(context, TWINS['in all of these places'], 'planted');
  for (let n = 0; n < 3; n++) t.equal(await send(page, '/refresh'), '200');
});

t.test('a browser keeps its device cookie, and no planted one hides it', async (t) => {
  const { page, context } = await openPage(t);
  t.equal(await logIn(page), '200');
  const [device, ...others] = (await context.cookies()).filter(({ name }) => name === 'knownDevice');
  t.match(device, { domain: PLAIN_HOST, path: '/login', httpOnly: true, sameSite: 'Strict' });
  t.strictSame(others, []);
  const planted = [PLAIN_HOST, PARENT].flatMap((domain) =>
    ['/', '/login'].map((path) => ({ domain, path, name: 'knownDevice', value: 'planted', secure: true })),
  );
  await context.addCookies(planted.filter(({ domain, path }) => domain !== PLAIN_HOST || path !== '/login'));
  let scope = '';
  for (let n = 0; n < 2; n++) {
    const body = { ...system.demo, password: 'a wrong password', ...(await solvedWork(scope)) };
    const response = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    scope = ((await response.json()) as { pow_scope: string }).pow_scope;
  }
  const stranger = await openPage(t);
  const body = { ...system.demo, ...(await solvedWork(scope)) };
  t.equal(await send(stranger.page, '/login', body), '422 captcha_required');
  t.equal(await logIn(page), '200');
});

async function openPage(t: Test) {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  // A file of the site that requests nothing by itself.
  await page.goto(`${system.address}/app.js`);
  return { page, context };
}

async function solvedWork(scope = '') {
  const query = scope === '' ? '' : `?scope=${scope}`;
  const response = await fetch(`http://127.0.0.1:${system.ports.challenge}/api/captcha/pow${query}`);
  const work = (await response.json()) as Work;
  return { pow_token: work.token, pow_nonce: solve(work) };
}

async function logIn(page: Page): Promise<string> {
  return send(page, '/login', { ...system.demo, ...(await solvedWork()) });
}

/** Sends a request as a page of the site does. @returns its status and, if rejected, its code */
async function send(page: Page, path: string, body?: object): Promise<string> {
  return page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' };
      const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const response = await fetch(path, { method: 'POST', ...init });
      const { code } = (await response.json()) as { code?: string };
      return [response.status, code].filter(Boolean).join(' ');
    },
    [path, body] as const,
  );
}

/** The refresh token of somebody else's session. */
async function stolenSession(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${system.ports.session}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...THIEF, ...(await solvedWork()) }),
  });
  return (
    response.headers
      .getSetCookie()
      .at(0)
      ?.match(/=([^;]+)/)?.[1] ?? ''
  );
}

async function plant(
  context: BrowserContext,
  places: readonly { domain: string; path: string }[],
  value: string,
) {
  await context.addCookies(
    places.map((place) => ({ ...place, name: 'refreshToken', value, secure: true, httpOnly: true })),
  );
}

async function refreshCookies(context: BrowserContext): Promise<string[]> {
  return (await context.cookies())
    .filter(({ name }) => name === 'refreshToken')
    .map(({ domain, path }) => `${domain} ${path}`);
}

t.test('over https', async (t) => {
  const PLACES = PATHS.flatMap((path) => [`Path=${path}`, `Path=${path}; Partitioned`]);

  const { openPage, plant, logIn, send, stolenSession, endSession, refreshCookies } = await openSite(
    t,
    browser,
  );

  t.test('one refresh is rejected, its repetition works, and so does a subsequent login', async (t) => {
    const { context, page } = await openPage(t);
    t.equal(await logIn(page), '200');
    for (const place of PLACES) {
      await plant(context, place, (await stolenSession()).cookie);
      t.equal(await send(page, 'refresh'), '401 cookie_conflict', place);
      t.equal(await send(page, 'refresh'), '200', 'the planted cookie is removed');
      t.equal(await logIn(page), '200');
      for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
      t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
    }
  });

  t.test('after planting before the login, one refresh is rejected and its repetition works', async (t) => {
    const { context, page } = await openPage(t);
    for (const place of PLACES) await plant(context, place, (await stolenSession()).cookie);
    t.equal((await refreshCookies(context)).length, PLACES.length, 'all of them are set');
    t.equal(await logIn(page), '200');
    t.equal(await send(page, 'refresh'), '401 cookie_conflict');
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
  });

  t.test('ended planted sessions disturb nobody, unless they are too many to be read', async (t) => {
    const { context, page } = await openPage(t);
    t.equal(await logIn(page), '200');
    const plantEnded = async (places: readonly string[]) => {
      for (const place of places) {
        const { cookie, accessToken } = await stolenSession();
        await endSession(accessToken);
        await plant(context, place, cookie);
      }
    };
    await plantEnded(PLACES.slice(1));
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
    await plantEnded(PLACES);
    t.equal(await send(page, 'refresh'), '401 cookie_conflict', 'with ours, more than eight are not read');
    for (let n = 0; n < 2; n++) t.equal(await send(page, 'refresh'), '200');
    t.strictSame(await refreshCookies(context), [`refreshToken ${HOST} /auth/refresh`]);
  });

  t.test(
    'a sibling that plants again after every response keeps the owner out while its page is open',
    async (t) => {
      const { context, page } = await openPage(t);
      const { cookie } = await stolenSession();
      for (let n = 0; n < 2; n++) {
        t.equal(await logIn(page), '200');
        await plant(context, 'Path=/auth/refresh; Partitioned', cookie);
        t.equal(await send(page, 'refresh'), '401 cookie_conflict');
      }
      t.equal(await send(page, 'refresh'), '200', 'and no longer');
    },
  );
});

t.test('over https with COOKIE_PREFIX=__Host-', async (t) => {
  const NAMES = ['__Host-refreshToken', '__Secure-refreshToken', 'refreshToken'];

  const { openPage, plant, logIn, send, stolenSession, refreshCookies } = await openSite(t, browser, {
    COOKIE_PREFIX: '__Host-',
  });

  t.test('before any session exists nobody is logged in as the attacker', async (t) => {
    const { context, page } = await openPage(t);
    const { cookie } = await stolenSession();
    for (const name of NAMES) for (const path of PATHS) await plant(context, `Path=${path}`, cookie, name);
    const planted = await refreshCookies(context);
    t.equal(planted.length, 2 * PATHS.length, 'the browser rejects the protected name');
    t.equal(await send(page, 'refresh'), '401 token_invalid');
    t.equal(await logIn(page), '200');
    t.equal(await send(page, 'refresh'), '200');
  });

  t.test('repeated planting by a sibling disturbs no refresh', async (t) => {
    const { context, page } = await openPage(t);
    t.equal(await logIn(page), '200');
    t.strictSame(await refreshCookies(context), [`__Host-refreshToken ${HOST} /`]);
    for (let n = 0; n < 3; n++) {
      await plant(context, 'Path=/auth/refresh; Partitioned', (await stolenSession()).cookie);
      t.equal(await send(page, 'refresh'), '200');
    }
  });
});
