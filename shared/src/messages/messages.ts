// Texts for people, by language and key.

import { ar } from './ar.js';
import { de } from './de.js';
import { en, type MessageKey } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { he } from './he.js';
import { hi } from './hi.js';
import { it } from './it.js';
import { ja } from './ja.js';
import { nl } from './nl.js';
import { pl } from './pl.js';
import { pt } from './pt.js';
import { ptPT } from './pt-pt.js';
import { ru } from './ru.js';
import { tr } from './tr.js';
import { zh } from './zh.js';
import { zhHant } from './zh-hant.js';

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
} satisfies Record<string, Record<MessageKey, string>>;

export type Language = keyof typeof texts;

/** The languages that texts exist in, the default first. */
export const languages = Object.keys(texts) as readonly Language[];

/** The languages that are written from right to left. */
export const rightToLeft: readonly Language[] = ['ar', 'he'];

/** The language where no other fits. */
export const defaultLanguage: Language = 'en';

/** Values for the `{name}` places of a text. */
export type MessageParams = Readonly<Record<string, string | number>>;

/** Returns whether a text with this key exists. */
export function isMessageKey(key: string): key is MessageKey {
  return Object.hasOwn(en, key);
}

/** Returns a text in a language. A placeholder without a parameter stays as it is. */
export function messageIn(language: Language, key: MessageKey, params?: MessageParams): string {
  const text = texts[language][key];
  if (params === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : place,
  );
}
