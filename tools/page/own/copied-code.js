// Lines of code with a copy button.
import { translate } from '../i18n.js';

const shownMs = 2_000;

/**
 * @param {object} lines
 * @param {string} lines.title names the lines, and completes the button's name
 * @param {string} lines.code
 * @param {'h3' | 'h4'} [lines.level] heading level of the title
 * @returns {HTMLElement}
 */
export function createCopiedCode({ title, code, level = 'h3' }) {
  const block = document.createElement('div');
  block.className = 'copied';
  const head = document.createElement(level);
  head.textContent = title;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  const pre = document.createElement('pre');
  pre.dir = 'ltr';
  const text = document.createElement('code');
  text.textContent = code;
  pre.append(text);
  const said = document.createElement('span');
  said.role = 'status';
  said.className = 'visually-hidden';
  block.append(head, button, pre, said);
  showButton('copy');
  let timer;

  button.addEventListener('click', async () => {
    const done = (await copy(code)) ? 'copied' : 'selected';
    if (done === 'selected') getSelection().selectAllChildren(text);
    showButton(done);
    said.textContent = translate(done);
    clearTimeout(timer);
    timer = setTimeout(() => {
      showButton('copy');
      said.textContent = '';
    }, shownMs);
  });

  function showButton(key) {
    button.textContent = translate(key);
    button.ariaLabel = `${translate(key)}: ${title}`;
  }

  return block;
}

/** Pages without TLS on names other than localhost have no clipboard access. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
