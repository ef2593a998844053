// Languages of the element: selects one and loads its texts on demand. A page can add languages.
import { en, type TextKey, type Texts } from './texts/en.js';

export type { TextKey, Texts };

const loaders = {
  ar: () => import('./texts/ar.js'),
  de: () => import('./texts/de.js'),
  es: () => import('./texts/es.js'),
  fr: () => import('./texts/fr.js'),
  he: () => import('./texts/he.js'),
  hi: () => import('./texts/hi.js'),
  it: () => import('./texts/it.js'),
  ja: () => import('./texts/ja.js'),
  nl: () => import('./texts/nl.js'),
  pl: () => import('./texts/pl.js'),
  pt: () => import('./texts/pt.js'),
  'pt-pt': () => import('./texts/pt-pt.js'),
  ru: () => import('./texts/ru.js'),
  tr: () => import('./texts/tr.js'),
  zh: () => import('./texts/zh.js'),
  'zh-hant': () => import('./texts/zh-hant.js'),
} satisfies Record<string, () => Promise<{ readonly default: Texts }>>;

/** Tag of a language with texts, in lower case: `en`, `pt-pt`. */
export type Language = string;
export type Direction = 'ltr' | 'rtl';

/** Built-in languages, English first. */
export const languages: readonly Language[] = ['en', ...Object.keys(loaders)];

const rightToLeft: readonly Language[] = ['ar', 'he'];

interface AddedLanguage {
  readonly load: () => Partial<Texts> | Promise<Partial<Texts>>;
  readonly direction: Direction;
}

const added = new Map<Language, AddedLanguage>();
const loaded = new Map<Language, Texts>([['en', en]]);
const loading = new Map<Language, Promise<Texts>>();

/** Fires `change` when a language has been added. */
export const languageEvents = new EventTarget();

/**
 * Adds a language, or replaces a built-in one. Elements in this language are updated.
 * @param tag its BCP 47 tag, such as `eo` or `es-MX`; it also applies to longer tags that begin with it
 * @param load returns its texts on first use; English replaces missing ones
 * @throws {RangeError} if the tag is invalid
 */
export function addLanguage(tag: string, load: AddedLanguage['load'], direction: Direction = 'ltr'): void {
  const language = new Intl.Locale(tag).baseName.toLowerCase();
  added.set(language, { load, direction });
  loaded.delete(language);
  loading.delete(language);
  languageEvents.dispatchEvent(new Event('change'));
}

/** Returns the texts of a language; undefined until they are loaded. */
export function textsOf(language: Language): Texts | undefined {
  return loaded.get(language);
}

/** Loads the texts of a language once. English replaces texts that cannot be loaded. */
export function loadTexts(language: Language): Promise<Texts> {
  const begun = loading.get(language);
  if (begun !== undefined) return begun;
  const texts = fetchTexts(language).then((fetched) => {
    // Unless the language was replaced in between.
    if (loading.get(language) === texts) loaded.set(language, fetched);
    return fetched;
  });
  loading.set(language, texts);
  return texts;
}

async function fetchTexts(language: Language): Promise<Texts> {
  try {
    const own = added.get(language);
    if (own !== undefined) return { ...en, ...(await own.load()) };
    return isLoadable(language) ? (await loaders[language]()).default : en;
  } catch {
    return en;
  }
}

function isLoadable(language: Language): language is keyof typeof loaders {
  return Object.hasOwn(loaders, language);
}

/** Fills the `{name}` placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_place, name: string) => String(values[name] ?? ''));
}

/** The text direction of a language. */
export function directionOf(language: Language): Direction {
  return added.get(language)?.direction ?? (rightToLeft.includes(language) ? 'rtl' : 'ltr');
}

/** Returns the language of the nearest `lang` attribute, also outside of shadow roots; English if it has no texts. */
export function languageOf(element: Element): Language {
  return languageFor(nearestTag(element));
}

/**
 * Returns the language with the longest tag that a tag begins with; English if there is none. Portuguese is European
 * outside of America, and Chinese traditional in Taiwan, Hong Kong and Macau.
 */
export function languageFor(tag: string): Language {
  const lower = tag.toLowerCase();
  if (added.has(lower)) return lower;
  const parts = lower
    .replace(/^zh-(?=(?:tw|hk|mo)\b)/, 'zh-hant-')
    .replace(/^pt-(?:ao|ch|cv|gq|gw|lu|mo|mz|st|tl)\b/, 'pt-pt')
    .split('-');
  for (; parts.length > 0; parts.pop()) {
    const language = parts.join('-');
    if (added.has(language) || languages.includes(language)) return language;
  }
  return 'en';
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
