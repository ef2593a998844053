// Starts Chromium for the browser tests of all packages.

import { type Worker, worker } from '@tollgate/test-support/owner.js';
import { type Browser, chromium } from 'playwright-core';

/** Chromium settings of the tests. */
export const browserArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The domain for tests with several host names of one site.
  '--host-resolver-rules=MAP *.shop.test 127.0.0.1',
];

let shared: Promise<Browser> | undefined;

/**
 * Starts a browser, which the caller closes. In a process of `npm test`, all files share one: closing it closes their
 * contexts.
 * @param more further Chromium arguments; with any, the caller gets its own browser
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (worker === undefined || more.length > 0) return await launch(more);
  shared ??= launchShared(worker);
  const browser = await shared;
  if (browser.isConnected()) return browser;
  shared = launchShared(worker);
  return await shared;
}

async function launchShared(worker: Worker): Promise<Browser> {
  const browser = await launch([]);
  const end = browser.close.bind(browser);
  worker.onEnd(end);
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return browser;
}

function launch(more: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_SHELL || process.env.CHROMIUM || '/usr/bin/chromium',
    args: [...browserArguments, ...more],
  });
}
