// View of the required captcha: the image, or the work chosen in its place.

import type { ShownEffort } from '../../challenge/challenge-state.js';
import { fill } from '../languages.js';
import { create, setText } from './create-node.js';
import { estimateEffortSeconds, estimateLeftSeconds, sayEstimate } from './durations.js';
import { createImageView, type ImageEvents, type ImageView } from './image-view.js';
import type { View, ViewModel } from './view-model.js';

export interface CaptchaEvents extends ImageEvents {
  /** The person chooses work in place of the image, or the image. */
  onChoose(name: 'effort' | 'image'): void;
}

export interface CaptchaView extends View {
  readonly image: ImageView;
}

export function createCaptchaView(events: CaptchaEvents): CaptchaView {
  const image = createImageView(events);
  const effort = createEffortView();
  // One button for both choices, so that it keeps the focus after a press.
  const toggle = create('button', { class: 'toggle', part: 'button alternative', type: 'button' });
  const time = create('p', { class: 'hint', part: 'hint', id: 'time' });
  const node = create('div', { class: 'captcha', part: 'captcha' }, image.node, effort.node, toggle, time);
  toggle.setAttribute('aria-describedby', 'time');
  let other: 'effort' | 'image' = 'effort';
  toggle.addEventListener('click', () => {
    if (toggle.ariaDisabled !== 'true') events.onChoose(other);
  });

  return {
    node,
    image,
    show(model) {
      const { state, texts, effortChosen, waitSeconds, disabled } = model;
      node.hidden = !model.captchaRequired;
      if (node.hidden) image.clear();
      image.node.hidden = effortChosen;
      effort.node.hidden = !effortChosen;
      if (effortChosen) effort.show(model);
      else image.show(model);
      other = effortChosen ? 'image' : 'effort';
      setText(toggle, effortChosen ? texts.choose_image : texts.choose_effort);
      toggle.hidden = !effortChosen && !state.alternatives.includes('effort');
      toggle.ariaDisabled = String(disabled || waitSeconds > 0);
      setText(time, effortChosen || toggle.hidden ? '' : estimateText(model));
      time.hidden = !time.textContent;
    },
  };
}

function estimateText(model: ViewModel): string {
  const seconds = estimateEffortSeconds(model.state);
  return seconds === null ? '' : fill(model.texts.effort_time, { time: sayEstimate(seconds, model) });
}

/** Work in place of an image: its progress and remaining time. */
function createEffortView(): View {
  const title = create('span', { class: 'effort-title', part: 'label', id: 'effort-title' });
  const bar = create('progress', { part: 'progress', max: 1, 'aria-labelledby': 'effort-title' });
  const hint = create('p', { class: 'hint tabular', part: 'hint' });
  const node = create('div', { class: 'effort-part', part: 'effort' }, title, bar, hint);
  return {
    node,
    show(model) {
      const { state, texts } = model;
      setText(title, texts.effort);
      const { captcha } = state;
      if (captcha?.kind !== 'effort') {
        bar.value = 0;
        setText(hint, texts.solving);
        return;
      }
      bar.value = captcha.solved ? 1 : shareOf(captcha);
      setText(hint, captcha.solved ? texts.effort_done : left(captcha));

      function left(effort: ShownEffort): string {
        const seconds = estimateLeftSeconds(effort);
        if (seconds === null) return texts.solving;
        const time = sayEstimate(seconds, model);
        return fill(texts.effort_left, {
          part: Math.min(effort.part + 1, effort.parts),
          parts: effort.parts,
          time,
        });
      }
    },
  };
}

function shareOf({ part, parts, progress }: ShownEffort): number {
  return Math.min((part + progress.chance) / parts, 1);
}
