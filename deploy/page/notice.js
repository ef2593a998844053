// The one line in which the page says how the last thing went.
import { find } from './find.js';

/**
 * @param {string} text empty takes it away
 * @param {'good' | 'bad' | ''} kind
 * @param {string} lang when it is a text of a service: the language it came in
 */
export function notify(text, kind = '', lang = '') {
  const line = find('notice');
  line.textContent = text;
  line.dataset.kind = kind;
  if (lang) line.lang = lang;
  else line.removeAttribute('lang');
}
