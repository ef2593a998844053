// Starts Chromium for the browser tests of all packages.

import { type Browser, chromium } from 'playwright-core';

/** Chromium settings of the tests. */
const browserArguments = [
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

/**
 * Starts a browser, which the caller closes.
 * @param more further arguments of Chromium's command line
 */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_SHELL || process.env.CHROMIUM || '/usr/bin/chromium',
    args: [...browserArguments, ...more],
  });
}
