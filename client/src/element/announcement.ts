// Decides which changes are said aloud: those that ask something of the person, and no others.

import { sayDuration } from './durations.js';
import { fill } from './texts.js';
import type { Shown } from './view-model.js';
import { errorText } from './work-view.js';

/**
 * What to say of the step from one moment to the next; null for silence. The routine work is never spoken of.
 * @param hasFailed an error was said last, and not yet that it is over
 */
export function announcementOf(before: Shown | undefined, now: Shown, hasFailed: boolean): string | null {
  const { state, texts, waitSeconds, language } = now;
  const was = before?.state;
  if (waitSeconds > 0) {
    const isNew = (before?.waitSeconds ?? 0) === 0;
    return isNew ? fill(texts.waiting, { time: sayDuration(waitSeconds, language) }) : null;
  }
  if (state.status === 'error' && (was?.error !== state.error || (before?.waitSeconds ?? 0) > 0)) {
    return texts[errorText(state.error)];
  }
  if (now.effortChosen && before?.effortChosen !== true) return texts.effort_started;
  const { captcha } = state;
  const earlier = was?.captcha ?? null;
  if (captcha?.kind === 'image') {
    const isAnother = earlier?.kind !== 'image' || earlier.url !== captcha.url;
    if (isAnother) return texts.image_shown;
    return captcha.expired && !earlier.expired ? texts.expired : null;
  }
  if (captcha?.kind === 'effort' && captcha.solved) {
    return earlier?.kind === 'effort' && !earlier.solved ? texts.effort_done : null;
  }
  return hasFailed && state.status === 'ready' ? texts.ready_again : null;
}
