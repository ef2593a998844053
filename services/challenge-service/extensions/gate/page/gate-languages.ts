// The texts of the gate's page, in the languages of the messages.

import type { Language } from '@tollgate/shared/messages';
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
} satisfies Record<Language, GateTexts>;

/** Returns the texts of a language. */
export function gateTexts(language: Language): GateTexts {
  return texts[language];
}
