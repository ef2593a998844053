// First row of the element: gate icon, status text, retry button, and the progress bar of the proof of work.

import { errorCodeOf } from '../error-codes.js';
import { create, createSvg, setText } from './create-node.js';
import { type View, type ViewModel, waitText } from './view-model.js';

/** @param onRetry called when the person presses the retry button */
export function createWorkView(onRetry: () => void): View & { readonly status: HTMLElement } {
  const title = create('span', { class: 'title', part: 'title', id: 'title' });
  const word = create('span', { class: 'word tabular', part: 'word', id: 'word' });
  const words = create('span', { class: 'words' }, title, word);
  const retry = create('button', { class: 'retry', part: 'button retry', type: 'button' });
  const status = create('div', { class: 'status', part: 'status' }, createGate(), words, retry);
  const bar = create('progress', { part: 'progress', max: 1, 'aria-labelledby': 'title' });
  const note = create('p', { class: 'note', part: 'note' });
  const row = create('div', { class: 'work' }, status, bar);
  const node = create('div', {}, row, note);
  retry.addEventListener('click', () => {
    if (retry.ariaDisabled !== 'true') onRetry();
  });

  return {
    node,
    status,
    show(model) {
      const { state, texts, waitSeconds, disabled } = model;
      setText(title, texts.title);
      setText(word, statusText(model));
      setText(retry, texts.retry);
      retry.ariaDisabled = String(state.status !== 'error' || disabled || waitSeconds > 0);
      row.toggleAttribute('data-retry', state.status === 'error');
      bar.value = state.status === 'ready' ? 1 : (state.work?.chance ?? 0);
      setText(note, texts.slow);
      note.hidden = state.solver?.degraded !== true;
    },
  };
}

function statusText(model: ViewModel): string {
  const { state, texts, waitSeconds } = model;
  if (waitSeconds > 0) return waitText(model);
  if (state.status === 'error') return texts[errorCodeOf(state.error)];
  const { captcha, status } = state;
  if (captcha?.kind === 'image' && (status === 'ready' || captcha.expired)) return texts.image_needed;
  return captcha?.kind === 'effort' && !captcha.solved ? texts.effort_needed : texts[status];
}

/** Gate icon; its arm rises when the challenges are ready. */
function createGate(): SVGElement {
  const arm = createSvg('g', { class: 'arm' }, createSvg('path', { class: 'bar', d: 'M14 22h50' }));
  return createSvg(
    'svg',
    { class: 'mark', part: 'mark', viewBox: '0 0 72 48', 'aria-hidden': 'true', focusable: 'false' },
    createSvg('path', { class: 'ground', d: 'M4 45h64' }),
    arm,
    createSvg('rect', { class: 'post', x: 8, y: 13, width: 12, height: 32, rx: 3 }),
    createSvg('circle', { class: 'lamp', cx: 14, cy: 22, r: 5 }),
  );
}
