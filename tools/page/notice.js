// The line with the outcome of the last action.
import { find } from './find.js';

/**
 * @param {string} text empty hides the line
 * @param {'good' | 'bad' | ''} kind
 * @param {string} lang language of the text, if a service sent it
 */
export function notify(text, kind = '', lang = '') {
  const line = find('notice');
  line.textContent = text;
  line.dataset.kind = kind;
  if (lang) line.lang = lang;
  else line.removeAttribute('lang');
}
