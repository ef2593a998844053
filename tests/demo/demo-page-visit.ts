// Visits the demo page in a real browser, with the real system on the embedded store.

import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { type System, type SystemOptions, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { bundledPage } from '../browser/bundled-page.js';
import { launchBrowser } from '../browser/chromium.js';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';

/** Variables of these tests' systems: cheap work, known answers, and high limits. */
export function pageEnvironment(folder: string): Environment {
  return {
    DATA_DIR: folder,
    ...freePorts,
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_MIN_SECONDS: '0',
    CAPTCHA_POW_DIFFICULTY: '4',
    RATE_LIMIT_POW: '1000',
    RATE_LIMIT_ISSUE: '1000',
    RATE_LIMIT_LOGIN: '1000',
  };
}

interface DemoOptions extends Partial<Pick<SystemOptions, 'environment' | 'accounts' | 'page'>> {
  /** A running browser; one is started if this is missing. */
  readonly browser?: Browser;
}

/** A system with its page, and a browser. The page is bundled unless other files are given. */
export async function openDemo(
  t: Test,
  { page, browser: given, ...options }: DemoOptions = {},
): Promise<{ system: System; browser: Browser }> {
  const system = await startSystem({
    startService: startServiceHere,
    ...options,
    page: page ?? (await bundledPage()),
    environment: { ...pageEnvironment(t.testdir()), ...options.environment },
  });
  t.teardown(() => system.stop());
  if (given !== undefined) return { system, browser: given };
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  return { system, browser };
}

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens another tab of the same browser. */
  readonly openTab: () => Promise<Page>;
}

interface VisitOptions extends BrowserContextOptions {
  /** Runs before the page's own code. */
  readonly script?: string;
  /** The page to open, from the site's root; the login form by default. */
  readonly path?: string;
}

/** Opens the page in a new browser; any error or policy violation fails the test. */
export async function visit(
  t: Test,
  browser: Browser,
  system: System,
  { script, path = '', ...options }: VisitOptions = {},
): Promise<Visit> {
  // Animations are drawn by the processor, 60 times a second.
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  t.teardown(() => context.close());
  if (script !== undefined) await context.addInitScript(script);
  context.on('weberror', (error) => t.fail(`error in the page: ${error.error().message}`));
  context.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) t.fail(message.text());
  });
  const openTab = async () => {
    const page = await context.newPage();
    await page.goto(system.address + path);
    return page;
  };
  return { page: await openTab(), context, openTab };
}

/** Waits until the form is there and its work is done. */
export async function waitForForm(page: Page): Promise<void> {
  await page.waitForSelector('#sign-in:not([hidden])');
  await page.locator('#bits:text-matches("^[0-9]+$")').waitFor();
}

export async function waitForAccount(page: Page, email: string): Promise<void> {
  await page.locator(`#account-email:text-is("${email}")`).waitFor();
}

/** Fills and sends the form; resolves after the response. */
export async function submit(page: Page, email: string, password: string): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', password);
  const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
  await page.click('#submit');
  await answered;
}

/** Sends a wrong password and waits for the page's message. */
export async function fail(page: Page, email: string): Promise<void> {
  await submit(page, email, 'a wrong password');
  await page.waitForSelector('#notice[data-kind="bad"]');
  await page.waitForSelector('#submit[aria-disabled="false"], #submit:text-matches("^Wait")');
}

/**
 * Fails until an image is required, and resolves with its answer.
 * @param path of the image route
 */
export async function failUntilImage(page: Page, email: string, path = '/api/captcha'): Promise<string> {
  await fail(page, email);
  const issued = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path));
  await fail(page, email);
  const { answer } = (await (await issued).json()) as { answer: string };
  await page.getByRole('textbox', { name: 'Characters in the image' }).waitFor();
  return answer;
}
