// The language and texts of the page: the browser's first language that has texts. Words in `backticks` are code.
import { ar } from './texts/ar.js';
import { en } from './texts/en.js';
import { fr } from './texts/fr.js';

/** The English texts in the markup. */
const markup = Object.fromEntries(
  textsInMarkup().map((node) => [node.dataset.text, node.textContent.trim().replace(/\s+/g, ' ')]),
);
const tables = { en: { ...markup, ...en }, fr, ar };
const primary = (tag) => tag.toLowerCase().split('-')[0];
const tag = navigator.languages.find((one) => Object.hasOwn(tables, primary(one))) ?? 'en';

export const language = primary(tag);
const texts = tables[language];
/** Uses Western digits in every language, as the images do. */
export const locale = new Intl.Locale(tag, { numberingSystem: 'latn' });

/** Returns a text with its `{name}` placeholders filled. */
export function translate(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_place, name) => values[name]);
}

/** Returns the text for a code of the services, or another text if there is none. */
export function translateIfKnown(code, otherwise) {
  return translate(Object.hasOwn(texts, code) ? code : otherwise);
}

/** Translates the page: sets its language, its direction and the texts of its markup. */
export function translatePage() {
  document.documentElement.lang = language;
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
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
