// The element's languages: a list of all included ones, and the element in the selected one.
import { directionOf, languages } from '../client/element/languages.js';
import { translate } from '../i18n.js';
import { createCopiedCode } from '../own/copied-code.js';
import { createImageButton, elementText } from './example.js';

/**
 * @param {object} deps
 * @param {HTMLElement} deps.list for the choices
 * @param {HTMLElement} deps.place for the element
 * @param {Record<string, string>} deps.attributes of the element
 * @param {string} deps.language selected at first
 */
export function showLanguages({ list, place, attributes, language }) {
  const card = document.createElement('article');
  card.className = 'example';
  const element = document.createElement('tollgate-challenge');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.setAttribute('start', 'focus');
  const code = document.createElement('div');
  card.append(element, createImageButton(element, translate('languages')), code);
  list.append(...languages.map(createChoice));
  place.append(card);
  choose(language);

  function choose(tag) {
    element.lang = tag;
    element.dir = directionOf(tag);
    const title = translate('lines_of', { title: nameOf(tag) });
    code.replaceChildren(
      createCopiedCode({ title, code: elementText({ ...attributes, lang: new Intl.Locale(tag).baseName }) }),
    );
  }

  function createChoice(tag) {
    const label = document.createElement('label');
    const radio = document.createElement('input');
    radio.type = 'radio';
    radio.name = 'language';
    radio.value = tag;
    radio.checked = tag === language;
    radio.addEventListener('change', () => choose(tag));
    const name = document.createElement('span');
    name.lang = tag;
    name.textContent = nameOf(tag);
    label.append(radio, name);
    return label;
  }
}

/** A language's name in that language. */
function nameOf(tag) {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag);
}
