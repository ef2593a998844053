// Opens and drives pages with a session.

import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { SessionOptions } from '../../src/session/session-options.js';
import type { SessionState, SessionStatus } from '../../src/session/session-state.js';
import type { SessionSite } from './session-site.js';

export const profileOfDemo = { status: 200, body: { id: 1, email: 'demo@example.com' } };

/** Opens a page in a new browser context. @param hasClock whether Playwright controls its clock */
export async function openSessionPage(
  t: Test,
  site: SessionSite,
  browser: Browser,
  { options = {}, hasClock = false }: { options?: SessionOptions; hasClock?: boolean } = {},
): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank');
  t.teardown(() => site.restore());
  if (hasClock) await page.clock.install();
  await enter(page, site, options);
  return page;
}

/** Opens another tab of the browser. */
export async function openTab(
  context: BrowserContext,
  site: SessionSite,
  options?: SessionOptions,
): Promise<Page> {
  const page = await context.newPage();
  await enter(page, site, options);
  return page;
}

async function enter(page: Page, site: SessionSite, options?: SessionOptions): Promise<void> {
  await page.goto(site.pageWith({ jitterSeconds: 0, ...options }));
  await page.waitForFunction(() => 'session' in globalThis);
}

/** @param person the demo account by default. @returns the response status */
export async function logInAt(
  page: Page,
  site: SessionSite,
  person?: { readonly email: string; readonly password: string },
): Promise<number> {
  const fields = { ...(await site.credentials()), ...person };
  return page.evaluate(async (fields) => (await session.login(fields)).status, fields);
}

export const states = (page: Page): Promise<SessionState> => page.evaluate(() => session.state);

export async function becomes(page: Page, status: SessionStatus): Promise<void> {
  await page.waitForFunction((wanted) => session.state.status === wanted, status);
}

/** Resolves when the token with this expiry has been replaced. */
export async function isReplaced(page: Page, expiresAtMs: number | null): Promise<void> {
  await page.waitForFunction(
    (old) => session.state.status === 'signed-in' && session.state.expiresAtMs !== old,
    expiresAtMs,
  );
}

export const profile = (page: Page) =>
  page.evaluate(async () => {
    const answer = await session.fetch('profile');
    return { status: answer.status, body: await answer.json() };
  });
