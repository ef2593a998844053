// Scripts of a real page cannot find the access token.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Browser } from 'playwright-core';
import t from 'tap';
import { becomes, logInAt, openSessionPage, openTab } from '../support/session-page.js';
import { type SessionSite, startSessionSite } from '../support/session-site.js';

t.setTimeout(90_000);

let site: SessionSite;
let browser: Browser;

t.before(async () => {
  browser = await launchBrowser();
  site = await startSessionSite(t);
});
t.teardown(() => browser?.close());

t.test('the token is in no storage, reachable object, message or cookie', async (t) => {
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
    addEventListener('storage', ({ newValue }) => hints.push(newValue));
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
  const mark = [`tollgate:${site.address}/`, 'signed-in'];
  const isNonce = ([name]: [string, unknown]) => name === `tollgate:nonce:${site.address}/`;
  const stored = reached.stored.filter((entry) => !isNonce(entry));
  const kept = [reached.databases, reached.caches, stored];
  t.same(kept, [['tollgate'], [], [mark]], 'only a mark, a nonce, and the browser key');
  for (const [, nonce] of reached.stored.filter(isNonce)) t.match(nonce, /^[\w-]{22}$/);
  t.same(reached.hints, ['logout', null], 'replaced and removed by the other tab');
  t.same(reached.messages, ['signed-in', 'signed-out', 'signed-in'], 'a message is one of two constants');
  const state = JSON.stringify(await context.storageState());
  for (const token of tokens) t.notOk(state.includes(token), 'the browser stores no token');
});
