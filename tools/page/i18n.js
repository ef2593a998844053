// The page's language and texts: the browser's first language with texts. Words in `backticks` are code.
import { en } from './texts/en.js';

/** The texts of other languages, loaded when needed. */
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
  ru: async () => (await import('./texts/ru.js')).ru,
  tr: async () => (await import('./texts/tr.js')).tr,
  zh: async () => (await import('./texts/zh.js')).zh,
};

/** The English texts in the markup. */
const markup = Object.fromEntries(
  textsInMarkup().map((node) => [node.dataset.text, node.textContent.trim().replace(/\s+/g, ' ')]),
);
const primary = (tag) => tag.toLowerCase().split('-')[0];
const tag =
  navigator.languages.find((one) => primary(one) === 'en' || Object.hasOwn(loaders, primary(one))) ?? 'en';

export const language = primary(tag);
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
  document.documentElement.lang = language;
  document.documentElement.dir = ['ar', 'he'].includes(language) ? 'rtl' : 'ltr';
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
