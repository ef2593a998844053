// Texts of the page that replace those of the language.
import type { Texts } from './languages.js';

/** Reads the attribute `texts`, a JSON object of texts by their names. What is not one is reported in the console and ignored. */
export function readTexts(json: string | null): Partial<Texts> {
  if (json === null) return {};
  try {
    const texts: unknown = JSON.parse(json);
    if (typeof texts === 'object' && texts !== null && !Array.isArray(texts)) return texts;
  } catch {
    // Reported below.
  }
  console.warn('Tollgate: the attribute "texts" must hold a JSON object of texts by their names.');
  return {};
}
