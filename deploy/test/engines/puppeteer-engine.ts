// Chromium by its DevTools protocol, Firefox by WebDriver BiDi: both through Puppeteer.
import puppeteer, { type LaunchOptions, type Page } from 'puppeteer-core';
import { type EngineBrowser, type Tab, WAIT_MS } from './engine.js';

/** Launches a browser without a window. */
export async function launchWithPuppeteer(options: LaunchOptions): Promise<EngineBrowser> {
  const browser = await puppeteer.launch({ headless: true, ...options });
  const [blank] = await browser.pages();
  let unused = blank;
  return {
    async openTab() {
      const page = unused ?? (await browser.newPage());
      unused = undefined;
      return tabOf(page);
    },
    close: () => browser.close(),
  };
}

function tabOf(page: Page): Tab {
  page.setDefaultTimeout(WAIT_MS);
  return {
    async open(url) {
      await page.goto(url);
    },
    async reload() {
      await page.reload();
    },
    evaluate: (expression) => page.evaluate(expression) as Promise<never>,
    async waitFor(expression) {
      await page.waitForFunction(expression);
    },
    click: (selector) => page.locator(selector).click(),
    fill: (selector, text) => page.locator(selector).fill(text),
  };
}
