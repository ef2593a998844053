// What is demanded besides the proof of work: the image, or the work chosen in its place.

import { make, setText } from './create-node.js';
import { estimateEffortSeconds, sayEstimate } from './durations.js';
import { createEffortView } from './effort-view.js';
import { createImageView, type ImageEvents, type ImageView } from './image-view.js';
import { fill } from './texts.js';
import type { Shown, View } from './view-model.js';

export interface CaptchaEvents extends ImageEvents {
  /** The person would rather have the other one. */
  onChoose(name: 'effort' | 'image'): void;
}

export function createCaptchaView(events: CaptchaEvents): View & { readonly image: ImageView } {
  const image = createImageView(events);
  const effort = createEffortView();
  // One button for both directions, so that it keeps the focus when it has been pressed.
  const toggle = make('button', { class: 'toggle', part: 'button alternative', type: 'button' });
  const time = make('p', { class: 'hint', part: 'hint', id: 'time' });
  const node = make('div', { class: 'captcha', part: 'captcha' }, image.node, effort.node, toggle, time);
  toggle.setAttribute('aria-describedby', 'time');
  let other: 'effort' | 'image' = 'effort';
  toggle.addEventListener('click', () => {
    if (toggle.ariaDisabled !== 'true') events.onChoose(other);
  });

  return {
    node,
    image,
    show(shown) {
      const { state, texts, effortChosen, waitSeconds, disabled } = shown;
      node.hidden = !shown.demanded;
      if (node.hidden) image.clear();
      image.node.hidden = effortChosen;
      effort.node.hidden = !effortChosen;
      if (effortChosen) effort.show(shown);
      else image.show(shown);
      other = effortChosen ? 'image' : 'effort';
      setText(toggle, effortChosen ? texts.choose_image : texts.choose_effort);
      toggle.hidden = !effortChosen && !state.alternatives.includes('effort');
      toggle.ariaDisabled = String(disabled || waitSeconds > 0);
      setText(time, effortChosen || toggle.hidden ? '' : expectation(shown));
      time.hidden = !time.textContent;
    },
  };
}

function expectation({ state, language, texts }: Shown): string {
  const seconds = estimateEffortSeconds(state);
  return seconds === null ? '' : fill(texts.effort_time, { time: sayEstimate(seconds, language) });
}
