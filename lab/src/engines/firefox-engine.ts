// Firefox by WebDriver BiDi, through Puppeteer.
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import {
  type EngineBrowser,
  type Flags,
  find,
  HEIGHT,
  isShown,
  type Scheme,
  type Tab,
  WAIT_MS,
  WIDTH,
  waitForValue,
  waitUntil,
} from './engine.js';
import { stopProcesses } from './stopped-processes.js';

/** Gives access to the browser's own window, where preferences can be changed. */
const systemAccess = '--remote-allow-system-access';

const prefs = {
  'ui.prefersReducedMotion': 1,
  // Otherwise each page starts a process in advance for the next page.
  'dom.ipc.processPrelaunch.enabled': false,
};

/** Launches Firefox without a window. @param executablePath the program */
export async function launchFirefox(executablePath: string, flags: Flags = {}): Promise<EngineBrowser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    args: [systemAccess],
    // Otherwise the browser reports each request three times, which takes longer than the request.
    networkEnabled: false,
    extraPrefsFirefox: { ...prefs, ...flags },
  });
  return {
    sleep: () => stopProcesses(({ id }) => id === browser.process()?.pid),
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

/** The protocol has no command for device preferences, but the browser's preference applies immediately. */
async function prefer(browser: Browser, scheme: Scheme): Promise<void> {
  const { connection } = browser as unknown as { connection: Connection };
  const { result } = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome', maxDepth: 0 });
  const [window] = result.contexts ?? [];
  if (window === undefined) throw new Error('Firefox has no browser window');
  const value = scheme === 'dark' ? 0 : 1;
  await connection.send('script.evaluate', {
    expression: `Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', ${value})`,
    awaitPromise: false,
    target: { context: window.context },
  });
}

/** The used part of Puppeteer's connection; its types lack Mozilla's parameters. */
interface Connection {
  send(method: string, parameters: object): Promise<{ result: { contexts?: { context: string }[] } }>;
}

async function tabOf(page: Page): Promise<Tab> {
  page.setDefaultTimeout(WAIT_MS);
  const evaluate: Tab['evaluate'] = (expression) => page.evaluate(expression) as Promise<never>;
  const resize = (width: number) => page.setViewport({ width, height: HEIGHT });
  const click = async (selector: string, count: number) => {
    const endsAtMs = performance.now() + WAIT_MS;
    let isMissed = true;
    while (isMissed) {
      if (performance.now() > endsAtMs) throw new Error(`${selector} moves from under the pointer`);
      const { x, y } = await waitForValue<{ x: number; y: number }>(evaluate, settled(selector, aim));
      await page.mouse.click(x, y, { count });
      // The click may lead to another page, which does not have the check.
      isMissed = await evaluate<boolean>('window.endAim?.() ?? false').catch(() => false);
    }
  };
  await resize(WIDTH);
  return {
    async open(url) {
      await page.goto(url);
    },
    async reload() {
      await page.reload();
    },
    show: () => page.bringToFront(),
    // Puppeteer waits for a page load, and Firefox shows its cached page.
    async back() {
      const left = JSON.stringify(page.url());
      await page.evaluate('history.back()');
      await waitUntil(evaluate, `location.href !== ${left} && document.readyState === 'complete'`);
    },
    evaluate,
    waitFor: (expression) => waitUntil(evaluate, expression),
    click: (selector) => click(selector, 1),
    doubleClick: (selector) => click(selector, 2),
    async fill(selector, text) {
      const inserted = `document.execCommand('insertText', false, ${JSON.stringify(text)})`;
      await waitForValue(evaluate, settled(selector, `(element.focus(), element.select(), ${inserted})`));
    },
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

/**
 * A JavaScript expression for the middle of the `element`. A press there until `endAim` counts only if it is on the element,
 * which may move while the pointer is on its way; `endAim` returns whether it missed.
 */
const aim = `(() => {
    const names = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'];
    let isHit;
    const look = (event) => {
      isHit ??= event.composedPath().includes(element);
      if (isHit) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const name of names) window.addEventListener(name, look, true);
    window.endAim = () => {
      for (const name of names) window.removeEventListener(name, look, true);
      delete window.endAim;
      return isHit === false;
    };
    return { x: x + width / 2, y: y + height / 2 };
  })()`;

/**
 * A JavaScript expression for an action on the `element` once it is visible, enabled, in the window and stationary; null
 * before. Puppeteer's locators check each of these separately, in 14 messages.
 */
function settled(selector: string, action: string): string {
  return `(async () => {
    const element = ${find(selector)};
    if (!${isShown(selector)} || element.disabled) return null;
    const place = () => element.getBoundingClientRect();
    const isIn = ({ top, left, bottom, right }) => top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    if (!isIn(place())) element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const before = JSON.stringify(place());
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { x, y, width, height } = place();
    return before === JSON.stringify(place()) ? ${action} : null;
  })()`;
}
