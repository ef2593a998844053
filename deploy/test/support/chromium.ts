// Starts Chromium, for the browser tests of all packages.

import { type Browser, chromium } from 'playwright-core';

/** How the tests run Chromium. */
export const browserArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser; the caller closes it. @param more further arguments of Chromium's command line */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_SHELL || process.env.CHROMIUM || '/usr/bin/chromium',
    args: [...browserArguments, ...more],
  });
}
