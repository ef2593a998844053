// The three engines, if available on this machine. Chromium is required; npm test reports the others if missing.
import { existsSync } from 'node:fs';
import { launchChromium } from './chromium-engine.js';
import type { Engine } from './engine.js';
import { launchFirefox } from './firefox-engine.js';
import { launchWebKit } from './webkit-engine.js';

/** A program by its variable, which `npm test` sets; empty if missing. */
function program(variable: string, usual: string): string {
  return process.env[variable] ?? (existsSync(usual) ? usual : '');
}

const firefox = program('FIREFOX', '/usr/bin/firefox-esr');
const driver = program('WEBKIT_DRIVER', '/usr/bin/WebKitWebDriver');
const xvfb = program('XVFB', '/usr/bin/Xvfb');

/** Every engine that people use. */
export const engines: Readonly<Record<Engine['name'], Engine>> = {
  Chromium: { name: 'Chromium', missing: undefined, launch: launchChromium },
  Firefox: {
    name: 'Firefox',
    missing: firefox === '' ? 'install firefox-esr' : undefined,
    launch: (flags) => launchFirefox(firefox, flags),
  },
  WebKit: {
    name: 'WebKit',
    missing: driver === '' || xvfb === '' ? 'install webkit2gtk-driver and xvfb' : undefined,
    launch: (flags) => launchWebKit({ driver, xvfb }, flags),
  },
};
