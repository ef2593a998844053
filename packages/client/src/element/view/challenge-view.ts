// Shadow tree of the element.

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
  /** A part of the view has loaded: show the state again. */
  onLoaded(): void;
}

export interface ChallengeView {
  /** The visible box. */
  readonly box: HTMLElement;
  /** Null until an image is required. */
  readonly image: ImageView | null;
  /** Anchor of the browser's validation messages and target of the focus, unless there is an answer field. */
  readonly status: HTMLElement;
  show(model: ViewModel): void;
  /** Announces a text in a polite live region: screen readers finish their sentence first. */
  announce(text: string): void;
}

/** Longer than the period in which browsers combine changes for screen readers. */
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
  // Outside of the box, because it also announces texts that are not displayed.
  root.append(box, liveRegion);

  /** Loads the image view on demand, because most forms never require it; after a failure, at the next change. */
  async function loadCaptcha(): Promise<void> {
    const { createCaptchaView } = await import('./captcha-view.js');
    if (captcha !== undefined) return;
    captcha = createCaptchaView(events);
    box.append(captcha.node);
    events.onLoaded();
  }

  /**
   * The element delegates its focus to the first focusable part: the answer field, or the status if there is none. A
   * focused status passes the focus on when the field appears.
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
      for (const node of [box, liveRegion]) {
        node.lang = language;
        node.dir = directionOf(language);
      }
      box.dataset.status = state.status;
      box.toggleAttribute('data-loading', model.isLoading);
      // The gate icon stays closed while the person has to act.
      box.toggleAttribute('data-open', state.status === 'ready' && state.captcha?.kind !== 'image');
      work.show(model);
      if (captcha !== undefined) captcha.show(model);
      else if (model.captchaRequired) void loadCaptcha().catch(() => undefined);
      moveFocus(model);
    },
    announce(text) {
      clearTimeout(repeatTimer);
      // Screen readers skip unchanged text, so the same text is removed for a moment.
      liveRegion.textContent = text === announced ? '' : text;
      if (text === announced) repeatTimer = setTimeout(() => liveRegion.append(text), REPEAT_MS);
      announced = text;
    },
  };
}
