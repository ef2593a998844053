// The languages of the gate's page, and which one a visitor reads.

import { bestLanguage } from '@tollgate/shared/http/errors/language.js';
import { ar } from './texts/ar.js';
import { de } from './texts/de.js';
import { en, type GateTexts } from './texts/en.js';
import { es } from './texts/es.js';
import { fr } from './texts/fr.js';
import { he } from './texts/he.js';
import { hi } from './texts/hi.js';
import { it } from './texts/it.js';
import { ja } from './texts/ja.js';
import { nl } from './texts/nl.js';
import { pl } from './texts/pl.js';
import { pt } from './texts/pt.js';
import { ptPT } from './texts/pt-pt.js';
import { ru } from './texts/ru.js';
import { tr } from './texts/tr.js';
import { zh } from './texts/zh.js';
import { zhHant } from './texts/zh-hant.js';

const texts = {
  en,
  ar,
  de,
  es,
  fr,
  he,
  hi,
  it,
  ja,
  nl,
  pl,
  pt,
  'pt-PT': ptPT,
  ru,
  tr,
  zh,
  'zh-Hant': zhHant,
} satisfies Record<string, GateTexts>;

/** A language of the page. */
export type GateLanguage = keyof typeof texts;

/** The languages of the page, English first. */
export const gateLanguages = Object.keys(texts) as readonly GateLanguage[];

const RIGHT_TO_LEFT: readonly GateLanguage[] = ['ar', 'he'];

/** Returns the texts of a language. */
export function gateTexts(language: GateLanguage): GateTexts {
  return texts[language];
}

/** The text direction of a language. */
export function directionOf(language: GateLanguage): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr';
}

/** Returns the best language for an `Accept-Language` header (RFC 9110, 12.5.4); English if none fits. */
export function gateLanguageFor(acceptLanguage: string | undefined): GateLanguage {
  return bestLanguage(acceptLanguage, gateLanguages) ?? 'en';
}
