// Texts of the page, which replace those of the language.
import type { Texts } from './languages.js';
import { loadWarnings } from './load-warnings.js';

/**
 * Reads texts by name, from an object or its JSON. Reports and ignores any other value.
 * @param source null and undefined mean no texts
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
