// A tab of WebKit by the W3C WebDriver protocol.
import { Key as Code, type WebDriver, type WebElement } from 'selenium-webdriver';
import { find, HEIGHT, isShown, type Key, type Tab, WAIT_MS, WIDTH, waitUntil } from './engine.js';

const codes: Readonly<Record<Exclude<Key, 'Shift+Tab'>, string>> = {
  Tab: Code.TAB,
  Enter: Code.ENTER,
  Space: ' ',
  Escape: Code.ESCAPE,
};

/** The window of a driver's next action. */
const currentOf = new WeakMap<WebDriver, string>();

/** The result of a script in the page. */
type Answer<Value> = { readonly value: Value } | { readonly error: string };

/** @param handle of the tab's window, which is the driver's current one */
export function tabOf(session: WebDriver, handle: string): Tab {
  // A driver that has opened a tab is in it.
  currentOf.set(session, handle);
  const inTab = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    if (currentOf.get(session) !== handle) await session.switchTo().window(handle);
    currentOf.set(session, handle);
    return act();
  };
  /** Waits for a visible and stationary element. */
  const settled = async (selector: string): Promise<WebElement> => {
    let before = '';
    await session.wait(
      async () => {
        const place = `return ${isShown(selector)} && JSON.stringify(${find(selector)}.getBoundingClientRect())`;
        const now = await session.executeScript(place);
        const isSettled = now !== false && now === before;
        before = String(now);
        return isSettled;
      },
      WAIT_MS,
      `${selector} is not visible`,
    );
    return session.executeScript(`return ${find(selector)}`);
  };
  const evaluate: Tab['evaluate'] = <Value>(expression: string) =>
    inTab(async () => {
      const answer: Answer<Value> = await session.executeAsyncScript(`
        const answer = arguments[arguments.length - 1];
        (async () => (${expression}))().then(
          (value) => answer({ value }),
          (error) => answer({ error: String(error) }),
        );`);
      if ('error' in answer) throw new Error(answer.error);
      return answer.value;
    });
  return {
    open: (url) => inTab(() => session.get(url)),
    reload: () => inTab(() => session.navigate().refresh()),
    show: () => inTab(async () => {}),
    back: () => inTab(() => session.navigate().back()),
    evaluate,
    waitFor: (expression) => waitUntil(evaluate, expression),
    click: (selector) => inTab(async () => (await settled(selector)).click()),
    doubleClick: (selector) =>
      inTab(async () =>
        session
          .actions()
          .doubleClick(await settled(selector))
          .perform(),
      ),
    fill: (selector, text) =>
      inTab(async () => {
        await settled(selector);
        // The driver's own command redraws the page for each key.
        const isFilled = await session.executeScript(`
          const field = ${find(selector)};
          field.focus();
          field.select();
          return document.execCommand('insertText', false, ${JSON.stringify(text)});`);
        if (!isFilled) throw new Error(`${selector} takes no text`);
      }),
    press: (key) =>
      inTab(() => {
        const keys = session.actions();
        if (key !== 'Shift+Tab') return keys.sendKeys(codes[key]).perform();
        return keys.keyDown(Code.SHIFT).sendKeys(Code.TAB).keyUp(Code.SHIFT).perform();
      }),
    type: (text) => inTab(() => session.actions().sendKeys(text).perform()),
    resize: (width) =>
      inTab(async () => {
        // The pointer is in the middle of the screen: without a window manager, the window under it has the focus.
        const x = Math.floor((WIDTH - width) / 2);
        await session.manage().window().setRect({ x, y: 0, width, height: HEIGHT });
        await session.wait(
          () => session.executeScript(`return innerWidth === ${width}`),
          WAIT_MS,
          `no ${width} pixels`,
        );
      }),
  };
}
