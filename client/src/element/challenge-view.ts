// The shadow tree of the element: everything that a person sees or hears of it.

import { type CaptchaEvents, createCaptchaView } from './captcha-view.js';
import { make } from './create-node.js';
import type { ImageView } from './image-view.js';
import { directionOf } from './language.js';
import { styleSheet } from './style-sheet.js';
import type { Shown } from './view-model.js';
import { createWorkView } from './work-view.js';

export interface ChallengeEvents extends CaptchaEvents {
  /** The person asks for another try after an error. */
  onRetry(): void;
}

export interface ChallengeView {
  readonly image: ImageView;
  /** What the browser's words on a form sent too early point at. */
  readonly status: HTMLElement;
  show(shown: Shown): void;
  /** Says something through the live region; a screen reader finishes its sentence first. */
  announce(text: string): void;
}

/** Longer than a browser gathers changes for a screen reader. */
const REPEAT_MS = 100;

/** Fills the shadow root. */
export function createChallengeView(root: ShadowRoot, events: ChallengeEvents): ChallengeView {
  root.adoptedStyleSheets = [styleSheet()];
  const work = createWorkView(events.onRetry);
  const captcha = createCaptchaView(events);
  let said = '';
  let again: ReturnType<typeof setTimeout>;
  const heard = make('p', { class: 'heard', role: 'status' });
  const box = make(
    'div',
    { class: 'box', part: 'box', role: 'group', 'aria-labelledby': 'title' },
    work.node,
    captcha.node,
    heard,
  );
  root.append(box);

  return {
    image: captcha.image,
    status: work.status,
    show(shown) {
      const { state, language } = shown;
      box.lang = language;
      box.dir = directionOf(language);
      box.dataset.status = state.status;
      // The gate stays down while the person still has something to do.
      box.toggleAttribute('data-open', state.status === 'ready' && state.captcha?.kind !== 'image');
      work.show(shown);
      captcha.show(shown);
    },
    announce(text) {
      clearTimeout(again);
      // A sentence that has not changed when the reader looks is not read again: it is left out for a moment.
      heard.textContent = text === said ? '' : text;
      if (text === said) again = setTimeout(() => heard.append(text), REPEAT_MS);
      said = text;
    },
  };
}
