// A link in a list, with a note if its page is in another language.
import { language, translate } from '../i18n.js';

/** @param {string} key of its text @param {string} path @param {string} [hreflang] if its page has only this language */
export function createLink(key, path, hreflang = language) {
  const item = document.createElement('li');
  const anchor = document.createElement('a');
  anchor.href = path;
  anchor.textContent = translate(key);
  item.append(anchor);
  if (hreflang === language) return item;
  anchor.hreflang = hreflang;
  item.append(` ${translate('in_english')}`);
  return item;
}
