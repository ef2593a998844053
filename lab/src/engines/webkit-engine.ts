// WebKit by the W3C WebDriver protocol: WebKitGTK's own driver and its small browser, on a virtual screen.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from '@tollgate/test-support/free-port.js';
import { Builder, Capabilities, type WebDriver } from 'selenium-webdriver';
import { type EngineBrowser, type Flags, HEIGHT, type Scheme, WAIT_MS, WIDTH } from './engine.js';
import { stopProcesses } from './stopped-processes.js';
import { tabOf } from './webkit-tab.js';

/** The programs: an X server, and the driver, which finds the browser itself. */
interface WebKitPrograms {
  readonly xvfb: string;
  readonly driver: string;
}

/** The browser's own controls are minimal, or its window could not be 320 pixels wide. */
const noControls =
  '* { padding: 0; margin: 0; border-width: 0; min-width: 0; min-height: 0; font-size: 1px; -gtk-icon-transform: scale(0.1); }';

/** There is no graphics card here, and software emulation of one takes more processor time than drawing without it. */
const drawing = { WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1' };

/** Native animations are drawn 60 times a second: fading scrollbars, blinking carets. */
const still = ['gtk-enable-animations=0', 'gtk-overlay-scrolling=0', 'gtk-cursor-blink=0'];

/** A driver sometimes hangs when it starts or stops a browser; it and its browser are replaced then. */
const SESSION_MS = 15_000;

/** Launches the X server and the driver, which starts a browser for each visitor's first tab; closing ends all. */
export async function launchWebKit(
  { xvfb, driver }: WebKitPrograms,
  flags: Flags = {},
): Promise<EngineBrowser> {
  const settings = mkdtempSync(join(tmpdir(), 'tollgate-webkit-'));
  // It chooses a free display, and reports its number.
  const screen = spawn(xvfb, ['-displayfd', '3', '-screen', '0', `${WIDTH}x1024x24`, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [display] = await once(screen.stdio[3] as Readable, 'data');
  const variables = Object.entries(flags).map(([name, value]) => [name, String(value)]);
  const env = {
    ...process.env,
    ...drawing,
    ...Object.fromEntries(variables),
    DISPLAY: `:${String(display).trim()}`,
    XDG_CONFIG_HOME: settings,
  };
  let running: Driver | undefined;
  let session: WebDriver | undefined;

  async function endDriver(): Promise<void> {
    const ended = running;
    running = undefined;
    if (ended !== undefined) await endGroup(ended.child);
  }
  async function endSession(): Promise<void> {
    const ended = session;
    session = undefined;
    if (ended !== undefined) await within(ended.quit(), 'no end of the browser').catch(endDriver);
  }
  async function startSession(): Promise<WebDriver> {
    running ??= await startDriver(driver, env);
    return within(openSession(running.url), 'no browser');
  }
  /** A fresh browser, in place of the previous one. */
  async function startFresh(scheme: Scheme): Promise<WebDriver> {
    await endSession();
    writeSettings(settings, scheme);
    session = await startSession().catch(async () => {
      await endDriver();
      return startSession();
    });
    return session;
  }
  return {
    // The driver keeps running: it is not part of the browser.
    sleep: () => stopProcesses(({ parent }) => parent === running?.child.pid),
    async visit(scheme = 'light') {
      let opened: WebDriver | undefined;
      return {
        async openTab() {
          // A visitor without a tab needs no browser.
          if (opened === undefined) opened = await startFresh(scheme);
          else await opened.switchTo().newWindow('tab');
          return tabOf(opened, await opened.getWindowHandle());
        },
        async leave() {
          if (session === opened) await endSession();
        },
      };
    },
    async close() {
      await endSession();
      await endDriver();
      await endProcess(screen, () => screen.kill());
      rmSync(settings, { recursive: true, force: true });
    },
  };
}

interface Driver {
  readonly child: ChildProcess;
  readonly url: string;
}

/** It has its own process group, which includes its browsers. */
async function startDriver(program: string, env: NodeJS.ProcessEnv): Promise<Driver> {
  const port = await freePort();
  const child = spawn(program, [`--port=${port}`], { env, stdio: 'ignore', detached: true });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswered(url);
  return { child, url };
}

async function endGroup(child: ChildProcess): Promise<void> {
  await endProcess(child, () => process.kill(-child.pid!, 'SIGKILL'));
}

async function endProcess(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  end();
  await gone;
}

/** @throws Error if it takes longer than any start or stop of a browser */
async function within<Result>(work: Promise<Result>, failure: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(failure)), SESSION_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Start options of the next browser. */
function writeSettings(folder: string, scheme: Scheme): void {
  const place = join(folder, 'gtk-3.0');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'gtk.css'), noControls);
  const theme = scheme === 'dark' ? 'Adwaita-dark' : 'Adwaita';
  const lines = ['[Settings]', `gtk-theme-name=${theme}`, ...still];
  writeFileSync(join(place, 'settings.ini'), `${lines.join('\n')}\n`);
}

async function untilAnswered(url: string): Promise<void> {
  const endsAtMs = Date.now() + WAIT_MS;
  const answers = () =>
    fetch(`${url}/status`).then(
      () => true,
      () => false,
    );
  while (!(await answers()) && Date.now() < endsAtMs) await new Promise((done) => setTimeout(done, 50));
}

/** A browser with a profile in memory only. */
async function openSession(url: string): Promise<WebDriver> {
  const session = await new Builder()
    .usingServer(url)
    .withCapabilities(new Capabilities({ browserName: 'MiniBrowser' }))
    .build();
  await session.manage().setTimeouts({ script: WAIT_MS, pageLoad: WAIT_MS });
  await session.manage().window().setRect({ x: 0, y: 0, width: WIDTH, height: HEIGHT });
  return session;
}
