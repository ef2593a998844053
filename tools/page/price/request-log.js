// The list of this tab's requests and solved challenges, newest first.
import { milliseconds } from '../format.js';
import { translate } from '../i18n.js';

const mostEntries = 12;
/** Rejections that are not errors: nobody is signed in, or the work is repeated at a higher price. */
const ordinary = ['token_invalid', 'pow_insufficient'];

function kindOf(status) {
  if (status === 0 || status >= 500) return 'broken';
  return status >= 400 ? 'refused' : 'good';
}

/** @typedef {ReturnType<typeof createRequestLog>} RequestLog */

/** @param {HTMLElement} list */
export function createRequestLog(list) {
  function add(kind, ...cells) {
    const item = document.createElement('li');
    item.className = kind;
    for (const [name, text] of cells) {
      const cell = document.createElement('span');
      cell.className = name;
      cell.textContent = text;
      item.append(cell, ' ');
    }
    list.prepend(item);
    while (list.children.length > mostEntries) list.lastElementChild.remove();
  }

  return {
    /** Adds a request; status 0 means no response. */
    addRequest({ method, path, status, code, ms }) {
      const kind = ordinary.includes(code) ? 'ordinary' : kindOf(status);
      const outcome = status === 0 ? translate('unanswered') : `${status} ${code}`.trim();
      add(kind, ['call', `${method} ${path}`], ['outcome', outcome], ['time', milliseconds(ms)]);
    },
    /** Adds solved work. */
    addWork(what, hashes, ms) {
      add('work-done', ['call', what], ['outcome', hashes], ['time', milliseconds(ms)]);
    },
  };
}
