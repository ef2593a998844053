// A form with the element: the working form and the lines to copy have the same text.

import { translate } from '../i18n.js';
import { createCopiedCode } from '../own/copied-code.js';
import { ruleOf } from './themes.js';

/** Response code of a service that requires an image. */
const refusal = { captcha_required: true, captcha_alternatives: ['effort'] };

/**
 * @param {object} example
 * @param {string} example.title
 * @param {string} example.words
 * @param {Record<string, string>} example.attributes of the element
 * @param {Record<string, string>} [example.declarations] of the form's style
 * @param {boolean} [example.waits] whether it fetches nothing before its first use: each challenge of a page raises the
 *   visitor's price
 */
export function createExample({ title, words, attributes, declarations, waits = true }) {
  const html = formText(attributes);
  const card = document.createElement('article');
  card.className = 'example';
  const head = document.createElement('h3');
  head.textContent = title;
  const line = document.createElement('p');
  line.className = 'hint';
  line.textContent = words;
  const template = document.createElement('template');
  template.innerHTML = html;
  const form = template.content.firstElementChild;
  form.ariaLabel = title;
  for (const [name, value] of Object.entries(declarations ?? {})) form.style.setProperty(name, value);
  const element = form.querySelector('tollgate-challenge');
  if (waits) element.setAttribute('start', 'focus');
  const outcome = document.createElement('output');
  form.append(outcome);
  const code = declarations === undefined ? html : `${ruleOf(declarations)}\n\n${html}`;
  card.append(
    // Not below the form, where the floating box would cover the focused button.
    ...[head, line, createImageButton(element, title), form],
    createCopiedCode({ title: translate('lines_of', { title }), code, level: 'h4' }),
  );

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const names = [...new FormData(form).keys()].join(', ');
    outcome.textContent = translate('would_send', { names });
    // Not sent anywhere: the next submission starts again.
    element.settle(null);
  });
  return card;
}

/** A button that puts an element into its state after a rejection. @param {HTMLElement} element @param {string} title */
export function createImageButton(element, title) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = translate('ask_image');
  button.ariaLabel = `${translate('ask_image')}: ${title}`;
  button.addEventListener('click', () => element.settle(refusal));
  return button;
}

/**
 * The element as HTML.
 * @param {Record<string, string>} attributes
 * @param {string} [beforeEnd] white space before its end tag
 */
export function elementText(attributes, beforeEnd = '') {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<tollgate-challenge${words.join('')}>${beforeEnd}</tollgate-challenge>`;
}

/** Wraps to short lines, so that none is broken. */
function formText(attributes) {
  const beforeEnd = Object.keys(attributes).length > 0 ? '\n  ' : '';
  return `<form method="post" action="/subscribe">
  <label>
    ${translate('example_email')}
    <input type="email" name="email" required>
  </label>
  ${elementText(attributes, beforeEnd)}
  <button>${translate('example_send')}</button>
</form>`;
}
