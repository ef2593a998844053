// The three engines, as far as this machine has them. Chromium is a must; for the others npm test says what is missing.
import { existsSync } from 'node:fs';
import { browserArguments } from '../support/chromium.js';
import type { Engine } from './engine.js';
import { launchWithPuppeteer } from './puppeteer-engine.js';
import { launchWebKit } from './webkit-engine.js';

/** A program by its variable, which `npm test` sets; empty when there is none. */
function program(variable: string, usual: string): string {
  return process.env[variable] ?? (existsSync(usual) ? usual : '');
}

const chromium = program('CHROMIUM', '/usr/bin/chromium');
const firefox = program('FIREFOX', '/usr/bin/firefox-esr');
const driver = program('WEBKIT_DRIVER', '/usr/bin/WebKitWebDriver');
const xvfb = program('XVFB', '/usr/bin/Xvfb');

/** Every engine that people use. */
export const engines: readonly Engine[] = [
  {
    name: 'Chromium',
    missing: undefined,
    launch: () =>
      launchWithPuppeteer({ browser: 'chrome', executablePath: chromium, args: [...browserArguments] }),
  },
  {
    name: 'Firefox',
    missing: firefox === '' ? 'install firefox-esr' : undefined,
    launch: () => launchWithPuppeteer({ browser: 'firefox', executablePath: firefox }),
  },
  {
    name: 'WebKit',
    missing: driver === '' || xvfb === '' ? 'install webkit2gtk-driver and xvfb' : undefined,
    launch: () => launchWebKit({ driver, xvfb }),
  },
];
