// Opens pages for browser tests.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';

export interface OpenPageOptions extends BrowserContextOptions {
  /** The test expects policy violations; otherwise each one fails it. */
  readonly expectsViolations?: boolean;
}

/**
 * Opens a page in a fresh browser context, which closes when the test ends. Any error in the page or violation of its
 * content security policy fails the test.
 */
export async function openPage(
  t: Test,
  browser: Browser,
  address: string,
  { expectsViolations = false, ...options }: OpenPageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => t.fail(`error in the page: ${error.message}`));
  page.on('console', (message) => {
    if (!expectsViolations && /Content Security Policy/i.test(message.text())) t.fail(message.text());
  });
  await page.goto(address);
  return page;
}
