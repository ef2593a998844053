// Texts for people, by language and key.

import { ar } from './ar.js';
import { en, type MessageKey } from './en.js';
import { fr } from './fr.js';

/** The languages that texts exist in, the default first. */
export const languages = ['en', 'fr', 'ar'] as const;

export type Language = (typeof languages)[number];

/** Values for the `{name}` places of a text. */
export type MessageParams = Readonly<Record<string, string | number>>;

const texts: Record<Language, Record<MessageKey, string>> = { en, fr, ar };

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
