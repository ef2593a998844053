// View of the image, the field for its characters, and the button for a new image.

import { fill } from '../languages.js';
import { loadWarnings } from '../load-warnings.js';
import { create, setText } from './create-node.js';
import { foldLookAlikes } from './look-alikes.js';
import { isRefused, type View, type ViewModel } from './view-model.js';

export interface ImageEvents {
  onAnswer(text: string): void;
  /** The field has lost the focus after a change. */
  onCommit(): void;
  onNewImage(): void;
  /** Enter was pressed in the field. */
  onEnter(): void;
}

export interface ImageView extends View {
  readonly input: HTMLInputElement;
  clear(): void;
}

export function createImageView({ onAnswer, onCommit, onNewImage, onEnter }: ImageEvents): ImageView {
  const label = create('label', { part: 'label', for: 'answer' });
  const image = create('img', { part: 'image', width: 240, height: 80, decoding: 'async' });
  const frame = create('div', { class: 'frame', part: 'frame' }, image);
  const input = create('input', {
    part: 'answer',
    id: 'answer',
    type: 'text',
    dir: 'ltr',
    inputmode: 'text',
    enterkeyhint: 'go',
    autocomplete: 'off',
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    maxlength: 64,
    required: true,
    'aria-describedby': 'characters hint',
  });
  const another = create('button', { part: 'button new-image', type: 'button' });
  const hint = create('p', { class: 'hint', part: 'hint', id: 'hint' });
  const characters = create('p', { class: 'hint', part: 'hint', id: 'characters' });
  const row = create('div', { class: 'row' }, input, another);
  const node = create(
    'div',
    { class: 'image-part', part: 'image-part' },
    label,
    characters,
    frame,
    row,
    hint,
  );
  let url = '';
  let isBroken = false;
  let last: ViewModel | undefined;

  input.addEventListener('input', (event) => {
    const { captcha } = last?.state ?? {};
    // Not during the composition of an input method.
    if (captcha?.kind === 'image' && !(event as InputEvent).isComposing) {
      replaceText(input, foldLookAlikes(input.value, captcha.characters));
    }
    onAnswer(input.value);
  });
  input.addEventListener('change', onCommit);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    onEnter();
  });
  another.addEventListener('click', () => {
    if (another.ariaDisabled !== 'true') onNewImage();
  });
  image.addEventListener('error', () => {
    isBroken = true;
    loadWarnings(({ warnOfImage }) => warnOfImage(url));
    if (last !== undefined) view.show(last);
  });

  const view: ImageView = {
    node,
    input,
    clear() {
      input.value = '';
    },
    show(model) {
      last = model;
      const { state, texts, waitSeconds, disabled } = model;
      const current = state.captcha?.kind === 'image' ? state.captcha : null;
      if (current !== null && current.url !== url) {
        url = current.url;
        isBroken = false;
        input.value = '';
        // The image has twice its displayed size in pixels.
        image.srcset = `${url} 2x`;
      }
      const isStale = current === null || current.expired || isBroken;
      setText(label, texts.label);
      image.alt = texts.alt;
      setText(another, texts.new_image);
      another.ariaDisabled = String(
        disabled || waitSeconds > 0 || (current === null && state.status === 'solving'),
      );
      node.toggleAttribute('data-stale', isStale);
      const occurring = current?.characters;
      setText(
        characters,
        occurring === undefined ? '' : fill(texts.characters, { characters: [...occurring].join(' ') }),
      );
      characters.hidden = occurring === undefined;
      const isWrong = isRefused(state) && input.value === '';
      input.ariaInvalid = isWrong ? 'true' : null;
      setText(hint, hintOf(current?.expired === true, isWrong));
      hint.hidden = !hint.textContent;
      input.disabled = disabled;
      image.hidden = url === '';
    },
  };
  return view;

  function hintOf(isExpired: boolean, isWrong: boolean): string {
    const { texts } = last as ViewModel;
    if (isExpired) return texts.expired;
    if (isBroken) return texts.image_failed;
    return isWrong ? texts.wrong : '';
  }
}

/** Replaces a text of the same length without moving the caret. */
function replaceText(input: HTMLInputElement, text: string): void {
  if (input.value === text) return;
  const { selectionStart, selectionEnd } = input;
  input.value = text;
  input.setSelectionRange(selectionStart, selectionEnd);
}
