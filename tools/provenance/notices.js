// The text file with the licences of all packages in a bundle or image.
import { licenceTexts } from './packages.js';

/** The name of the file, everywhere. */
export const noticesFile = 'THIRD-PARTY-LICENSES.txt';

/**
 * Returns the text; packages with the same text share it.
 * @param {string} content names the bundle or image
 * @param {import('./packages.js').Package[]} packages
 * @throws Error if a package has no licence text
 */
export function noticesOf(content, packages) {
  const byText = new Map();
  for (const each of packages) {
    const text = licenceTexts(each).join('\n\n');
    byText.set(text, [...(byText.get(text) ?? []), each]);
  }
  const sections = [...byText].map(([text, users]) => `${users.map(title).join('\n')}\n\n${text}\n`);
  const line = `${'-'.repeat(80)}\n\n`;
  return [`Packages in ${content}, and their licences\n\n`, ...sections].join(line);
}

function title({ name, version, licence }) {
  return `${name} ${version} (${licence})`;
}
