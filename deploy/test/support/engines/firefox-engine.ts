// Firefox by WebDriver BiDi, through Puppeteer.
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import {
  type EngineBrowser,
  type Flags,
  HEIGHT,
  type Scheme,
  type Tab,
  WAIT_MS,
  WIDTH,
  waitUntil,
} from './engine.js';

/** Gives access to the window of the browser itself, where preferences can be changed. */
const systemAccess = '--remote-allow-system-access';

const prefs = {
  'ui.prefersReducedMotion': 1,
  // Otherwise each page has a process started that the next page may want.
  'dom.ipc.processPrelaunch.enabled': false,
};

/** Launches Firefox without a window. @param executablePath the program */
export async function launchFirefox(executablePath: string, flags: Flags = {}): Promise<EngineBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    args: [systemAccess],
    extraPrefsFirefox: { ...prefs, ...flags },
  });
  return {
    async visit(scheme = 'light') {
      await prefer(browser, scheme);
      const context = await browser.createBrowserContext();
      return {
        openTab: async () => tabOf(await context.newPage()),
        leave: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** The protocol has no command for what the device prefers, but the preference of the browser applies at once. */
async function prefer(browser: Browser, scheme: Scheme): Promise<void> {
  const { connection } = browser as unknown as { connection: Connection };
  const { result } = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome', maxDepth: 0 });
  const [window] = result.contexts ?? [];
  if (window === undefined) throw new Error('Firefox shows no window of its own');
  const value = scheme === 'dark' ? 0 : 1;
  await connection.send('script.evaluate', {
    expression: `Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', ${value})`,
    awaitPromise: false,
    target: { context: window.context },
  });
}

/** The part of Puppeteer's connection that is needed here; its types do not know Mozilla's parameters. */
interface Connection {
  send(method: string, parameters: object): Promise<{ result: { contexts?: { context: string }[] } }>;
}

async function tabOf(page: Page): Promise<Tab> {
  page.setDefaultTimeout(WAIT_MS);
  const anywhere = (selector: string) => `pierce/${selector}`;
  const evaluate: Tab['evaluate'] = (expression) => page.evaluate(expression) as Promise<never>;
  const resize = (width: number) => page.setViewport({ width, height: HEIGHT });
  await resize(WIDTH);
  return {
    async open(url) {
      await page.goto(url);
    },
    async reload() {
      await page.reload();
    },
    show: () => page.bringToFront(),
    // Puppeteer waits for a page that is loaded, and Firefox shows the one that it has kept.
    async back() {
      const left = JSON.stringify(page.url());
      await page.evaluate('history.back()');
      await waitUntil(evaluate, `location.href !== ${left} && document.readyState === 'complete'`);
    },
    evaluate,
    waitFor: (expression) => waitUntil(evaluate, expression),
    click: (selector) => page.locator(anywhere(selector)).click(),
    doubleClick: (selector) => page.locator(anywhere(selector)).click({ count: 2 }),
    fill: (selector, text) => page.locator(anywhere(selector)).fill(text),
    async press(key) {
      if (key !== 'Shift+Tab') return page.keyboard.press(key === 'Space' ? ' ' : key);
      await page.keyboard.down('Shift');
      await page.keyboard.press('Tab');
      await page.keyboard.up('Shift');
    },
    type: (text) => page.keyboard.type(text),
    resize,
  };
}
