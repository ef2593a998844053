// The languages of the element: which one applies, and its texts, which are loaded when they are needed.
import { en, type TextKey, type Texts } from './texts/en.js';

export type { TextKey, Texts };

const loaders = {
  ar: () => import('./texts/ar.js'),
  fr: () => import('./texts/fr.js'),
} satisfies Record<string, () => Promise<{ readonly default: Texts }>>;

export type Language = keyof typeof loaders | 'en';

/** All languages, English first. */
export const languages: readonly Language[] = ['en', ...(Object.keys(loaders) as (keyof typeof loaders)[])];

const rightToLeft: readonly string[] = ['ar'];
const loaded = new Map<Language, Texts>([['en', en]]);
const loading = new Map<Language, Promise<Texts>>();

/** Returns the texts of a language; undefined until they are loaded. */
export function textsOf(language: Language): Texts | undefined {
  return loaded.get(language);
}

/** Loads the texts of a language once. English replaces texts that cannot be loaded. */
export function loadTexts(language: Language): Promise<Texts> {
  let texts = loading.get(language);
  if (texts === undefined) {
    texts = fetchTexts(language).then((fetched) => {
      loaded.set(language, fetched);
      return fetched;
    });
    loading.set(language, texts);
  }
  return texts;
}

async function fetchTexts(language: Language): Promise<Texts> {
  if (language === 'en') return en;
  return loaders[language]().then(
    (module) => module.default,
    () => en,
  );
}

/** Fills the `{name}` placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_place, name: string) => String(values[name] ?? ''));
}

/** The text direction of a language. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return rightToLeft.includes(language) ? 'rtl' : 'ltr';
}

/** Returns the language of the nearest `lang` attribute, also outside of shadow roots; English if there are no texts in it. */
export function languageOf(element: Element): Language {
  const primary = nearestTag(element).toLowerCase().split('-')[0] ?? '';
  return languages.find((language) => language === primary) ?? 'en';
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
