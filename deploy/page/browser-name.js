// A name for people from what a browser says of itself.
import { say } from './i18n.js';

/** The first that fits: most browsers also name those that they are like. */
const browsers = [
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node/i, 'Node'],
];
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** @param {string} userAgent */
export function nameBrowser(userAgent) {
  const nameIn = (table) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = nameIn(browsers) ?? say('unknown_browser');
  const system = nameIn(systems);
  return system ? say('browser_on', { browser, system }) : browser;
}
