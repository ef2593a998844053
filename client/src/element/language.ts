// Finds the language that an element is to speak.

import { type Language, texts } from './texts.js';

/** Right to left or left to right. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** The language of the nearest `lang`, out of shadow roots too, as far as there are texts in it; else English. */
export function languageOf(element: Element): Language {
  const primary = nearestTag(element).toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(texts, primary) ? (primary as Language) : 'en';
}

function nearestTag(element: Element): string {
  for (let at: Element | null = element; at !== null; ) {
    const holder: Element | null = at.closest('[lang]');
    if (holder !== null) return holder.getAttribute('lang') ?? '';
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return '';
}
