// The work in place of an image: how far it is, and what is left.

import type { ShownEffort } from '../challenge/challenge-state.js';
import { make, setText } from './create-node.js';
import { estimateLeftSeconds, sayEstimate } from './durations.js';
import { fill } from './texts.js';
import type { View } from './view-model.js';

export function createEffortView(): View {
  const title = make('span', { class: 'effort-title', part: 'label', id: 'effort-title' });
  const bar = make('progress', { part: 'progress', max: 1, 'aria-labelledby': 'effort-title' });
  const hint = make('p', { class: 'hint tabular', part: 'hint' });
  const node = make('div', { class: 'effort-part', part: 'effort' }, title, bar, hint);
  // At the beginning of a part its own speed is not known yet.
  let hashesPerMs = 0;

  return {
    node,
    show({ state, language, texts }) {
      setText(title, texts.effort);
      const { captcha, work } = state;
      if (captcha?.kind !== 'effort') {
        bar.value = 0;
        setText(hint, texts.solving);
        return;
      }
      hashesPerMs = speedOf(captcha.progress) ?? (hashesPerMs || (work === null ? null : speedOf(work)) || 0);
      bar.value = captcha.solved ? 1 : shareOf(captcha);
      setText(hint, captcha.solved ? texts.effort_done : left(captcha));

      function left(effort: ShownEffort): string {
        if (hashesPerMs === 0) return texts.solving;
        const time = sayEstimate(estimateLeftSeconds(effort, hashesPerMs), language);
        return fill(texts.effort_left, {
          part: Math.min(effort.part + 1, effort.parts),
          parts: effort.parts,
          time,
        });
      }
    },
  };
}

function speedOf({ hashes, ms }: { hashes: number; ms: number }): number | null {
  return hashes > 0 && ms > 0 ? hashes / ms : null;
}

function shareOf({ part, parts, progress }: ShownEffort): number {
  return Math.min((part + progress.chance) / parts, 1);
}
