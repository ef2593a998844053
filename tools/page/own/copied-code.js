// Lines of code with a button that copies them.
import { translate } from '../i18n.js';

const shownMs = 2_000;

/**
 * @param {object} lines
 * @param {string} lines.title names the lines, and completes the name of the button
 * @param {string} lines.code
 * @param {'h3' | 'h4'} [lines.level] of the title in the page
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

/** The clipboard is closed to pages without TLS on other names than localhost. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
