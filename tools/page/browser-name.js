// A readable browser name from a `User-Agent` header.
import { translate } from './i18n.js';

/** The first match counts, because most browsers also name others for compatibility. */
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
  const browser = nameIn(browsers) ?? translate('unknown_browser');
  const system = nameIn(systems);
  return system ? translate('browser_on', { browser, system }) : browser;
}
