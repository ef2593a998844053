// Pages of other origins than the services, one allowed by CORS and one not; and scripts of a page, which cannot find the
// access token.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser } from 'playwright-core';
import t from 'tap';
import {
  becomes,
  isReplaced,
  logInAt,
  openSessionPage,
  openTab,
  profile,
  profileOfDemo,
  states,
} from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';
import { type StaticSite, startStaticSite } from '../support/static-site.js';

const page = '<!doctype html><title>A page</title>';
const folders = {
  '/client/': `${dirname(fileURLToPath(import.meta.resolve('@tollgate/client/session')))}/`,
};
let friend: StaticSite;
let stranger: StaticSite;
let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  friend = await startStaticSite({ folders, pages: { '/': page } });
  stranger = await startStaticSite({ folders, pages: { '/': page } });
  site = await startSessionSite(t, { CORS_ORIGIN: friend.address });
});
t.teardown(async () => {
  await browser?.close();
  await Promise.all([friend?.stop(), stranger?.stop()]);
});

/** @param hint false sends a request at every start */
const start = async ({ baseUrl, hint }: { baseUrl: string; hint: boolean }) => {
  const from = '/client/session.js';
  const { createSession } = (await import(from)) as typeof import('@tollgate/client/session');
  globalThis.expired = [];
  globalThis.session = createSession({ baseUrl, hint, jitterSeconds: 0 });
};

t.test('the allowed origin logs in, refreshes, sends requests and logs out', async (t) => {
  const page = await openPage(t, browser, 'about:blank');
  await page.clock.install();
  await page.goto(friend.address);
  await page.evaluate(start, { baseUrl: site.address, hint: true });
  t.equal(await page.evaluate(() => session.resume()), false);
  t.equal(await logInAt(page, site), 200);
  t.same(await profile(page), profileOfDemo);

  const { expiresAtMs } = await states(page);
  await page.clock.runFor(841_000);
  await isReplaced(page, expiresAtMs);
  t.same(await profile(page), profileOfDemo);

  await page.reload();
  await page.evaluate(start, { baseUrl: site.address, hint: true });
  t.equal(await page.evaluate(() => session.resume()), true);
  t.same(await profile(page), profileOfDemo);
  const own = await page.evaluate(
    async (address) => (await session.fetch(`${address}/`)).status,
    friend.address,
  );
  t.equal(own, 200, 'requests to its own origin carry no token');

  await page.evaluate(() => session.logout());
  await becomes(page, 'signed-out');
  t.same(await page.context().cookies(`${site.address}/refresh`), []);
});

t.test('a page of another origin binds its session at login, and continues after a reload', async (t) => {
  for (const policy of ['offer', 'require']) {
    const bound = await startSessionSite(t, { CORS_ORIGIN: friend.address, REFRESH_BINDING: policy });
    const page = await openPage(t, browser, friend.address);
    const bindings: (string | undefined)[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().startsWith(bound.address))
        bindings.push(response.headers()['refresh-binding']);
    });
    await page.evaluate(start, { baseUrl: bound.address, hint: true });
    t.equal(await logInAt(page, bound), 200);
    t.same(bindings, ['none', 'key'], policy);
    for (let times = 0; times < 2; times++) {
      await page.reload();
      await page.evaluate(start, { baseUrl: bound.address, hint: true });
      t.equal(await page.evaluate(() => session.resume()), true, policy);
    }
    t.same(bindings.slice(2), ['key', 'key'], 'the first request of each page has a proof');
    const cookies = await page.context().cookies(`${bound.address}/refresh`);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const copied = await fetch(`${bound.address}/refresh`, { method: 'POST', headers: { cookie } });
    t.equal(((await copied.json()) as { code: string }).code, 'binding_required');
  }
});

t.test('Retry-After is readable across origins', async (t) => {
  const page = await openPage(t, browser, friend.address);
  await page.evaluate(start, { baseUrl: site.address, hint: false });
  site.fail('POST /refresh', 503, {
    'retry-after': '7',
    'access-control-allow-origin': friend.address,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Retry-After',
  });
  const failed = await page.evaluate(() => session.resume().catch(({ retryAfterMs }) => retryAfterMs));
  site.restore();
  t.equal(failed, 7000);
});

t.test('another origin gets nothing', async (t) => {
  const page = await openPage(t, browser, stranger.address);
  await page.evaluate(start, { baseUrl: site.address, hint: false });
  const failed = await page.evaluate(() => session.resume().catch(({ reason }) => reason));
  t.equal(failed, 'network', 'the browser hides the response');
  const fields = await site.credentials();
  t.equal(
    await page.evaluate((fields) => session.login(fields).catch(({ name }) => name), fields),
    'TypeError',
  );
  t.equal((await states(page)).status, 'unknown');
});

t.test('the token is in no storage, reachable object, message or cookie', async (t) => {
  const site = await startSessionSite(t);
  const tokens: string[] = [];
  const page = await openSessionPage(t, site, browser);
  const context = page.context();
  page.on('request', (request) => {
    const token = request.headers().authorization?.replace('Bearer ', '');
    if (token !== undefined) tokens.push(token);
  });
  await page.evaluate(() => {
    const [messages, hints]: [unknown[], unknown[]] = [[], []];
    Object.assign(globalThis, { messages, hints, told: [] as unknown[] });
    const channel = new BroadcastChannel(`tollgate:${location.origin}/`);
    channel.onmessage = ({ data }) => messages.push(data);
    addEventListener('message', ({ data }) => messages.push(data));
    addEventListener('storage', ({ key, newValue }) => hints.push([key, newValue]));
    session.subscribe(() => (globalThis as unknown as { told: unknown[] }).told.push(session.state));
  });
  const answer = await page.evaluate(
    async (fields) => {
      const response = await session.login(fields);
      return [await response.text(), [...response.headers]];
    },
    await site.credentials(),
  );
  await page.evaluate(() => session.fetch('profile'));
  const tab = await openTab(context, site);
  await tab.evaluate(() => session.resume());
  await tab.evaluate(() => session.logout());
  await becomes(page, 'signed-out');
  await logInAt(page, site);
  await page.evaluate(() => session.fetch('profile'));
  t.equal(tokens.length >= 2, true, 'the tokens are known');
  t.ok(tokens.every((token) => token.length > 100));

  const reached = await page.evaluate(async () => {
    const texts: string[] = [];
    const seen = new Set<unknown>();
    const dig = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      if (typeof value === 'function') texts.push(Function.prototype.toString.call(value));
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
        return;
      seen.add(value);
      // Getters of a prototype may return rejected promises.
      if (value instanceof Promise) value.catch(() => {});
      if (value instanceof Map) for (const entry of value) dig(entry);
      if (value instanceof Set) for (const entry of value) dig(entry);
      for (const key of Reflect.ownKeys(value)) {
        try {
          dig((value as Record<PropertyKey, unknown>)[key]);
        } catch {
          // A getter that requires another object.
        }
      }
      dig(Object.getPrototypeOf(value));
    };
    dig(globalThis);
    for (const storage of [localStorage, sessionStorage]) dig(Object.entries(storage));
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    const opening = indexedDB.open('tollgate');
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const keys = opening.result.transaction('keys').objectStore('keys').getAll();
    await new Promise((resolve) => keys.addEventListener('success', resolve));
    dig(keys.result);
    const caches = await globalThis.caches.keys();
    const entries = performance.getEntries().map((entry) => JSON.stringify(entry));
    texts.push(
      document.cookie,
      document.documentElement.outerHTML,
      ...entries,
      JSON.stringify(history.state),
    );
    const { messages, hints } = globalThis as unknown as { messages: unknown[]; hints: unknown[] };
    return {
      text: texts.join('\n'),
      size: seen.size,
      databases,
      caches,
      messages,
      hints,
      stored: [...Object.entries(localStorage), ...Object.entries(sessionStorage)],
    };
  });
  t.ok(reached.size > 2_000, `${reached.size} objects were checked`);
  t.match(reached.text, /signed-in/, 'the status is found');
  const everything = JSON.stringify([reached, answer]);
  for (const token of tokens) {
    t.notOk(everything.includes(token));
    t.notOk(everything.includes(decodeURIComponent(token)));
  }
  const hint = `tollgate:${site.address}/`;
  const nonce = `tollgate:nonce:${site.address}/`;
  const mark = [hint, 'signed-in'];
  const isNonce = ([name]: [string, unknown]) => name === nonce;
  const stored = reached.stored.filter((entry) => !isNonce(entry));
  const kept = [reached.databases, reached.caches, stored];
  t.same(kept, [['tollgate'], [], [mark]], 'only a mark, a nonce, and the browser key');
  for (const [, text] of reached.stored.filter(isNonce)) t.match(text, /^[\w-]{22}$/);
  const changes = [
    [hint, 'logout'],
    [nonce, null],
    [hint, null],
  ];
  t.same(reached.hints, changes, 'replaced and removed by the other tab');
  t.same(reached.messages, ['signed-in', 'signed-out', 'signed-in'], 'a message is one of two constants');
  const state = JSON.stringify(await context.storageState());
  for (const token of tokens) t.notOk(state.includes(token), 'the browser stores no token');
});
