// WebKit by the W3C WebDriver protocol: WebKitGTK's own driver and its small browser, on a screen that nobody sees.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Builder, By, Capabilities, type WebDriver } from 'selenium-webdriver';
import { freePort } from '../gateway/gateway-programs.js';
import { type EngineBrowser, type Tab, WAIT_MS } from './engine.js';

/** The programs: an X server, and the driver, which finds the browser itself. */
export interface WebKitPrograms {
  readonly xvfb: string;
  readonly driver: string;
}

/** Launches the X server, the driver and the browser; closing ends all three. */
export async function launchWebKit({ xvfb, driver }: WebKitPrograms): Promise<EngineBrowser> {
  const processes: ChildProcess[] = [];
  const stop = async () => {
    for (const child of processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'close');
      child.kill();
      await gone;
    }
  };
  try {
    // It chooses a free display, and tells which one.
    const screen = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    processes.push(screen);
    const [display] = await once(screen.stdio[3] as Readable, 'data');
    const port = await freePort();
    const env = { ...process.env, DISPLAY: `:${String(display).trim()}` };
    processes.push(spawn(driver, [`--port=${port}`], { env, stdio: 'ignore' }));
    const session = await openSession(`http://127.0.0.1:${port}`);
    let isFirst = true;
    return {
      async openTab() {
        if (!isFirst) await session.switchTo().newWindow('tab');
        isFirst = false;
        return tabOf(session, await session.getWindowHandle());
      },
      async close() {
        await session.quit().finally(stop);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openSession(url: string): Promise<WebDriver> {
  const endsAtMs = Date.now() + WAIT_MS;
  while (!(await answers(url)) && Date.now() < endsAtMs) await new Promise((done) => setTimeout(done, 50));
  return new Builder()
    .usingServer(url)
    .withCapabilities(new Capabilities({ browserName: 'MiniBrowser' }))
    .build();
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/status`).then(
    () => true,
    () => false,
  );
}

function tabOf(session: WebDriver, handle: string): Tab {
  const inTab = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    await session.switchTo().window(handle);
    return act();
  };
  const evaluate = (expression: string) =>
    inTab(() => session.executeScript(`return (${expression})`) as Promise<never>);
  const find = (selector: string) => session.findElement(By.css(selector));
  const seen = async (selector: string) => {
    await session.wait(async () => {
      const [element] = await session.findElements(By.css(selector));
      return element !== undefined && (await element.isDisplayed());
    }, WAIT_MS);
    return find(selector);
  };
  return {
    open: (url) => inTab(() => session.get(url)),
    reload: () => inTab(() => session.navigate().refresh()),
    evaluate,
    waitFor: (expression) =>
      inTab(async () => {
        await session.wait(() => session.executeScript(`return Boolean(${expression})`), WAIT_MS, expression);
      }),
    click: (selector) => inTab(async () => (await seen(selector)).click()),
    fill: (selector, text) =>
      inTab(async () => {
        const field = await seen(selector);
        await field.clear();
        await field.sendKeys(text);
      }),
  };
}
