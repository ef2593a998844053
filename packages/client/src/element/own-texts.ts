// Texts of the page that replace those of the language.
import type { Texts } from './languages.js';
import { loadWarnings } from './load-warnings.js';

/**
 * Reads texts by their names: an object, or the same as JSON. What is neither is reported in the console and ignored.
 * @param source null and undefined are no texts
 */
export function readTexts(source: unknown): Partial<Texts> {
  if (source === null || source === undefined) return {};
  try {
    const texts: unknown = typeof source === 'string' ? JSON.parse(source) : source;
    if (typeof texts === 'object' && texts !== null && !Array.isArray(texts)) return texts;
  } catch {
    // Reported below.
  }
  loadWarnings(({ warnOfTexts }) => warnOfTexts());
  return {};
}
