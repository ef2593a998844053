// The shadow tree of the element: everything that it displays or announces.

import { type CaptchaEvents, createCaptchaView } from './captcha-view.js';
import { create } from './create-node.js';
import type { ImageView } from './image-view.js';
import { styleSheet } from './style-sheet.js';
import { directionOf } from './texts.js';
import type { ViewModel } from './view-model.js';
import { createWorkView } from './work-view.js';

export interface ChallengeEvents extends CaptchaEvents {
  /** The person presses the retry button after an error. */
  onRetry(): void;
}

export interface ChallengeView {
  readonly image: ImageView;
  /** Where the browser displays its message about a form sent too early. */
  readonly status: HTMLElement;
  show(model: ViewModel): void;
  /** Announces a text through the polite live region: a screen reader finishes its sentence first. */
  announce(text: string): void;
}

/** Longer than the time in which browsers combine changes for screen readers. */
const REPEAT_MS = 100;

/** Fills the shadow root. */
export function createChallengeView(root: ShadowRoot, events: ChallengeEvents): ChallengeView {
  root.adoptedStyleSheets = [styleSheet()];
  const work = createWorkView(events.onRetry);
  const captcha = createCaptchaView(events);
  let announced = '';
  let repeatTimer: ReturnType<typeof setTimeout>;
  const liveRegion = create('p', { class: 'visually-hidden', role: 'status' });
  const box = create(
    'div',
    { class: 'box', part: 'box', role: 'group', 'aria-labelledby': 'title' },
    work.node,
    captcha.node,
    liveRegion,
  );
  root.append(box);

  return {
    image: captcha.image,
    status: work.status,
    show(model) {
      const { state, language } = model;
      box.lang = language;
      box.dir = directionOf(language);
      box.dataset.status = state.status;
      // The gate stays closed while the person still has something to do.
      box.toggleAttribute('data-open', state.status === 'ready' && state.captcha?.kind !== 'image');
      work.show(model);
      captcha.show(model);
    },
    announce(text) {
      clearTimeout(repeatTimer);
      // Screen readers skip a text that has not changed, so the same text is removed for a moment.
      liveRegion.textContent = text === announced ? '' : text;
      if (text === announced) repeatTimer = setTimeout(() => liveRegion.append(text), REPEAT_MS);
      announced = text;
    },
  };
}
