// The image, the field for its characters, and the button for another one.

import { make, setText } from './create-node.js';
import type { Shown, View } from './view-model.js';

export interface ImageEvents {
  onAnswer(text: string): void;
  /** The person has left the field with another text in it. */
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
  const label = make('label', { part: 'label', for: 'answer' });
  const image = make('img', { part: 'image', width: 240, height: 80, decoding: 'async' });
  const frame = make('div', { class: 'frame', part: 'frame' }, image);
  const input = make('input', {
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
  const another = make('button', { part: 'button new-image', type: 'button' });
  const hint = make('p', { class: 'hint', part: 'hint', id: 'hint' });
  const row = make('div', { class: 'row' }, input, another);
  const node = make('div', { class: 'image-part', part: 'image-part' }, label, frame, row, hint);
  let url = '';
  let isBroken = false;
  let last: Shown | undefined;

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
    show(shown) {
      last = shown;
      const { state, texts, waitSeconds, disabled } = shown;
      const current = state.captcha?.kind === 'image' ? state.captcha : null;
      if (current !== null && current.url !== url) {
        url = current.url;
        isBroken = false;
        input.value = '';
        // Drawn at twice its shown size: its natural size is half of its pixels.
        image.srcset = `${url} 2x`;
      }
      const isStale = current === null || current.expired || isBroken;
      setText(label, texts.label);
      image.alt = texts.alt;
      setText(another, texts.new_image);
      another.ariaDisabled = String(disabled || waitSeconds > 0 || (current === null && isLoading(shown)));
      node.toggleAttribute('data-stale', isStale);
      setText(hint, current?.expired ? texts.expired : isBroken ? texts.image_failed : '');
      hint.hidden = !hint.textContent;
      input.disabled = disabled;
      image.hidden = url === '';
    },
  };
  return view;
}

function isLoading({ state }: Shown): boolean {
  return state.status === 'solving';
}
