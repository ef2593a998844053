// The first row of the element: the little gate, a word on how it stands, and the bar of the proof of work.

import { CaptchaRequestError } from '../challenge/errors.js';
import { PowGaveUpError } from '../solver/errors.js';
import { make, makeSvg, setText } from './create-node.js';
import { sayDuration } from './durations.js';
import { fill, type TextKey } from './texts.js';
import type { Shown, View } from './view-model.js';

/** @param onRetry the person asks for another try */
export function createWorkView(onRetry: () => void): View & { readonly status: HTMLElement } {
  const title = make('span', { class: 'title', part: 'title', id: 'title' });
  const word = make('span', { class: 'word tabular', part: 'word', id: 'word' });
  const words = make('span', { class: 'words' }, title, word);
  const retry = make('button', { class: 'retry', part: 'button retry', type: 'button' });
  const status = make('div', { class: 'status', part: 'status' }, makeGate(), words, retry);
  const bar = make('progress', { part: 'progress', max: 1, 'aria-labelledby': 'title' });
  const note = make('p', { class: 'note', part: 'note' });
  const row = make('div', { class: 'work' }, status, bar);
  const node = make('div', {}, row, note);
  retry.addEventListener('click', () => {
    if (retry.ariaDisabled !== 'true') onRetry();
  });

  return {
    node,
    status,
    show(shown) {
      const { state, texts, waitSeconds, disabled } = shown;
      // The browser leads here when a form is sent too early; with a field to lead to, that is the better place.
      if (shown.demanded && !shown.effortChosen) status.removeAttribute('tabindex');
      else status.tabIndex = -1;
      setText(title, texts.title);
      setText(word, statusWord(shown));
      setText(retry, texts.retry);
      retry.ariaDisabled = String(state.status !== 'error' || disabled || waitSeconds > 0);
      row.toggleAttribute('data-retry', state.status === 'error');
      bar.value = state.status === 'ready' ? 1 : (state.work?.chance ?? 0);
      setText(note, texts.slow);
      note.hidden = state.solver?.degraded !== true;
    },
  };
}

function statusWord({ state, language, texts, waitSeconds }: Shown): string {
  if (waitSeconds > 0) return fill(texts.waiting, { time: sayDuration(waitSeconds, language) });
  if (state.status === 'error') return texts[errorText(state.error)];
  const { captcha, status } = state;
  if (captcha?.kind === 'image' && (status === 'ready' || captcha.expired)) return texts.image_needed;
  return captcha?.kind === 'effort' && !captcha.solved ? texts.effort_needed : texts[status];
}

/** What an error means to a person. */
export function errorText(error: Error | null): TextKey {
  if (error instanceof PowGaveUpError) return 'gave_up';
  if (error instanceof CaptchaRequestError) {
    if (error.isRateLimited) return 'wait_over';
    return error.status >= 500 ? 'unavailable' : 'wrong_setup';
  }
  // What `fetch` throws when nobody answers, and what the client throws when nobody has answered in time.
  return error instanceof TypeError || error?.name === 'TimeoutError' ? 'offline' : 'failed';
}

/** A gate whose arm rises when the way is free. */
function makeGate(): SVGElement {
  const arm = makeSvg('g', { class: 'arm' }, makeSvg('path', { class: 'bar', d: 'M14 22h50' }));
  return makeSvg(
    'svg',
    { class: 'mark', part: 'mark', viewBox: '0 0 72 48', 'aria-hidden': 'true', focusable: 'false' },
    makeSvg('path', { class: 'ground', d: 'M4 45h64' }),
    arm,
    makeSvg('rect', { class: 'post', x: 8, y: 13, width: 12, height: 32, rx: 3 }),
    makeSvg('circle', { class: 'lamp', cx: 14, cy: 22, r: 5 }),
  );
}
