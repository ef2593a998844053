// The shadow tree of the element: everything that it displays or announces.

import { directionOf } from '../languages.js';
import type { CaptchaEvents, CaptchaView } from './captcha-view.js';
import { create } from './create-node.js';
import type { ImageView } from './image-view.js';
import { styleSheet } from './style-sheet.js';
import { awaitsAnswer, type ViewModel } from './view-model.js';
import { createWorkView } from './work-view.js';

export interface ChallengeEvents extends CaptchaEvents {
  /** The person presses the retry button after an error. */
  onRetry(): void;
  /** A part of the view has been loaded: the state is to be shown again. */
  onLoaded(): void;
}

export interface ChallengeView {
  /** What is visible. */
  readonly box: HTMLElement;
  /** Null until an image is required. */
  readonly image: ImageView | null;
  /** Where the browser displays its messages, and what has the focus, unless that is the answer field. */
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
  let captcha: CaptchaView | undefined;
  let announced = '';
  let repeatTimer: ReturnType<typeof setTimeout>;
  const liveRegion = create('p', { class: 'visually-hidden', role: 'status' });
  const box = create(
    'div',
    { class: 'box', part: 'box', role: 'group', 'aria-labelledby': 'title' },
    work.node,
  );
  // Outside of the box, because it also announces what is not displayed.
  root.append(box, liveRegion);

  /** Most forms never require an image, so its view is loaded when one does; if that fails, with the next change. */
  async function loadCaptcha(): Promise<void> {
    const { createCaptchaView } = await import('./captcha-view.js');
    if (captcha !== undefined) return;
    captcha = createCaptchaView(events);
    box.append(captcha.node);
    events.onLoaded();
  }

  /**
   * The element delegates its focus to the first part that can have it: the answer field, and the status for as long as
   * there is none. A status that has the focus by then passes it on.
   */
  function moveFocus(model: ViewModel): void {
    const { status } = work;
    if (captcha === undefined || !awaitsAnswer(model)) {
      status.tabIndex = -1;
      return;
    }
    if (root.activeElement === status) captcha.image.input.focus();
    status.removeAttribute('tabindex');
  }

  return {
    box,
    get image() {
      return captcha?.image ?? null;
    },
    status: work.status,
    show(model) {
      const { state, language } = model;
      box.lang = language;
      box.dir = directionOf(language);
      box.dataset.status = state.status;
      box.toggleAttribute('data-loading', model.isLoading);
      // The gate stays closed while the person still has something to do.
      box.toggleAttribute('data-open', state.status === 'ready' && state.captcha?.kind !== 'image');
      work.show(model);
      if (captcha !== undefined) captcha.show(model);
      else if (model.captchaRequired) void loadCaptcha().catch(() => undefined);
      moveFocus(model);
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
