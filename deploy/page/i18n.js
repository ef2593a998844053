// The language of the page: the browser's first of those that there are texts for. Words in `backticks` are code.
import { ar } from './texts/ar.js';
import { en } from './texts/en.js';
import { fr } from './texts/fr.js';

/** English texts that stay as they are stand in the markup. */
const markup = Object.fromEntries(
  textsInMarkup().map((node) => [node.dataset.text, node.textContent.trim().replace(/\s+/g, ' ')]),
);
const tables = { en: { ...markup, ...en }, fr, ar };
const primary = (tag) => tag.toLowerCase().split('-')[0];
const tag = navigator.languages.find((one) => Object.hasOwn(tables, primary(one))) ?? 'en';

export const language = primary(tag);
const texts = tables[language];
/** Digits are Western in every language, as in the images. */
export const locale = new Intl.Locale(tag, { numberingSystem: 'latn' });

/** A text, its `{name}` places filled. */
export function say(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_place, name) => values[name]);
}

/** The text that belongs to a code of the services, if there is one. */
export function sayIfKnown(code, otherwise) {
  return say(Object.hasOwn(texts, code) ? code : otherwise);
}

/** Fills every element that names its text, and tells the browser the language. */
export function speak() {
  document.documentElement.lang = language;
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr';
  if (language !== 'en') for (const node of textsInMarkup()) mark(node, say(node.dataset.text));
}

/** Sets a text in which `backticks` stand around code. */
export function mark(node, text) {
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
