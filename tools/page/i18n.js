// The page's language and texts: the browser's first language with texts. Words in `backticks` are code.
import { directionOf, languageFor } from './client/element/languages.js';
import { en } from './texts/en.js';

/** The texts of other languages, loaded when needed: the element's languages, by the same tags. */
const loaders = {
  ar: async () => (await import('./texts/ar.js')).ar,
  de: async () => (await import('./texts/de.js')).de,
  es: async () => (await import('./texts/es.js')).es,
  fr: async () => (await import('./texts/fr.js')).fr,
  he: async () => (await import('./texts/he.js')).he,
  hi: async () => (await import('./texts/hi.js')).hi,
  it: async () => (await import('./texts/it.js')).it,
  ja: async () => (await import('./texts/ja.js')).ja,
  nl: async () => (await import('./texts/nl.js')).nl,
  pl: async () => (await import('./texts/pl.js')).pl,
  pt: async () => (await import('./texts/pt.js')).pt,
  'pt-pt': async () => (await import('./texts/pt-pt.js')).ptPT,
  ru: async () => (await import('./texts/ru.js')).ru,
  tr: async () => (await import('./texts/tr.js')).tr,
  zh: async () => (await import('./texts/zh.js')).zh,
  'zh-hant': async () => (await import('./texts/zh-hant.js')).zhHant,
};

/** The English texts in the markup. */
const markup = Object.fromEntries(
  textsInMarkup().map((node) => [node.dataset.text, node.textContent.trim().replace(/\s+/g, ' ')]),
);
const hasTexts = (tag) => languageFor(tag) !== 'en' || /^en\b/i.test(tag);
const tag = navigator.languages.find(hasTexts) ?? 'en';

/** A tag in lower case, such as `pt-pt`. */
export const language = languageFor(tag);
const texts = language === 'en' ? { ...markup, ...en } : await loaders[language]();
/** Uses Western digits in every language, as the images do. */
export const locale = new Intl.Locale(tag, { numberingSystem: 'latn' });

/** Returns a text with its `{name}` placeholders filled. */
export function translate(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_place, name) => values[name]);
}

/** Returns the text for an error code of the services, otherwise the other text. */
export function translateIfKnown(code, otherwise) {
  return translate(Object.hasOwn(texts, code) ? code : otherwise);
}

/** Translates the page: sets language, direction and markup texts. */
export function translatePage() {
  document.documentElement.lang = new Intl.Locale(language).baseName;
  document.documentElement.dir = directionOf(language);
  if (language !== 'en') for (const node of textsInMarkup()) setText(node, translate(node.dataset.text));
}

/** Sets a text; words in `backticks` become code elements. */
export function setText(node, text) {
  node.replaceChildren(
    ...text.split('`').map((piece, at) => {
      if (at % 2 === 0) return piece;
      const code = document.createElement('code');
      code.dir = 'ltr';
      code.textContent = piece;
      return code;
    }),
  );
}

function textsInMarkup() {
  return [...document.querySelectorAll('[data-text]')];
}
