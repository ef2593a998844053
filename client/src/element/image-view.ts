// The image, the field for its characters, and the button for a new image.

import { create, setText } from './create-node.js';
import type { View, ViewModel } from './view-model.js';

export interface ImageEvents {
  onAnswer(text: string): void;
  /** The person has left the field after a change. */
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
    'aria-describedby': 'hint',
  });
  const another = create('button', { part: 'button new-image', type: 'button' });
  const hint = create('p', { class: 'hint', part: 'hint', id: 'hint' });
  const row = create('div', { class: 'row' }, input, another);
  const node = create('div', { class: 'image-part', part: 'image-part' }, label, frame, row, hint);
  let url = '';
  let isBroken = false;
  let last: ViewModel | undefined;

  input.addEventListener('input', () => onAnswer(input.value));
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
        // The image has twice the pixels of its displayed size.
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
      setText(hint, current?.expired ? texts.expired : isBroken ? texts.image_failed : '');
      hint.hidden = !hint.textContent;
      input.disabled = disabled;
      image.hidden = url === '';
    },
  };
  return view;
}
