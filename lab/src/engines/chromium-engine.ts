// Chromium by its DevTools protocol, through Playwright: shared with the other tests of the process.

import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import type { Page } from 'playwright-core';
import { type EngineBrowser, type Flags, HEIGHT, type Tab, WAIT_MS, WIDTH, waitUntil } from './engine.js';
import { stopProcesses } from './stopped-processes.js';

/** Starts Chromium without a window, or takes the running one without flags. */
export async function launchChromium(flags: Flags = {}): Promise<EngineBrowser> {
  const browser = await launchBrowser(Object.entries(flags).map(([name, value]) => `--${name}=${value}`));
  return {
    sleep: () => stopProcesses(({ parent, name }) => parent === process.pid && /chrom|headless/.test(name)),
    async visit(scheme = 'light') {
      const context = await browser.newContext({
        locale: 'en-GB',
        colorScheme: scheme,
        reducedMotion: 'reduce',
        viewport: { width: WIDTH, height: HEIGHT },
      });
      context.setDefaultTimeout(WAIT_MS);
      return {
        openTab: async () => tabOf(await context.newPage()),
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

function tabOf(page: Page): Tab {
  const evaluate: Tab['evaluate'] = (expression) => page.evaluate(expression) as Promise<never>;
  return {
    async open(url) {
      await page.goto(url);
    },
    async reload() {
      await page.reload();
    },
    show: () => page.bringToFront(),
    async back() {
      await page.goBack();
    },
    evaluate,
    waitFor: (expression) => waitUntil(evaluate, expression),
    click: (selector) => page.click(selector),
    doubleClick: (selector) => page.dblclick(selector),
    fill: (selector, text) => page.fill(selector, text),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    resize: (width) => page.setViewportSize({ width, height: HEIGHT }),
  };
}
