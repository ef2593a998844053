// Brings what a controller says before the person: into the shadow tree, and aloud where it matters.

import type { ChallengeState } from '../challenge/challenge-state.js';
import { idleState } from '../challenge/challenge-state.js';
import { announcementOf } from './announcement.js';
import { type ChallengeEvents, type ChallengeView, createChallengeView } from './challenge-view.js';
import { languageOf } from './language.js';
import { texts } from './texts.js';
import type { Shown } from './view-model.js';

export interface Presenter {
  readonly view: ChallengeView;
  /** What stands there now. */
  readonly shown: Shown;
  /** Shows a state; null when there is no controller. */
  present(state: ChallengeState | null, disabled: boolean): void;
  /** Says a text of the table aloud. */
  announce(key: 'held'): void;
  /** The person would rather have this than what is shown; known before the controller has fetched it. */
  choose(name: 'effort' | 'image'): void;
  /** Lets the clock go. */
  rest(): void;
}

/**
 * @param host the element, whose place says in which language it speaks
 * @param onTick called every second while the service asks to wait, to present again
 */
export function createPresenter(
  host: Element,
  root: ShadowRoot,
  events: ChallengeEvents,
  onTick: () => void,
): Presenter {
  const view = createChallengeView(root, events);
  let clock: ReturnType<typeof setInterval> | undefined;
  let effortChosen = false;
  let shown = momentOf(idleState, false);
  let isFirst = true;
  let hasFailed = false;

  function momentOf(state: ChallengeState, disabled: boolean): Shown {
    const language = languageOf(host);
    const demanded = state.captcha !== null || state.captchaRequired;
    if (state.captcha !== null) effortChosen = state.captcha.kind === 'effort';
    else if (!demanded) effortChosen = false;
    const waitMs = (state.retryAtMs ?? 0) - Date.now();
    return {
      state,
      language,
      texts: texts[language],
      waitSeconds: Math.max(0, Math.ceil(waitMs / 1000)),
      demanded,
      effortChosen,
      disabled,
    };
  }

  function rest(): void {
    clearInterval(clock);
    clock = undefined;
  }

  return {
    view,
    get shown() {
      return shown;
    },
    present(state, disabled) {
      const before = isFirst ? undefined : shown;
      shown = momentOf(state ?? idleState, disabled);
      isFirst = false;
      view.show(shown);
      const announcement = disabled ? null : announcementOf(before, shown, hasFailed);
      if (announcement !== null) view.announce(announcement);
      if (shown.state.status === 'error') hasFailed = true;
      else if (shown.state.status === 'ready') hasFailed = false;
      if (shown.waitSeconds === 0) rest();
      else clock ??= setInterval(onTick, 1000);
    },
    announce: (key) => view.announce(shown.texts[key]),
    choose(name) {
      effortChosen = name === 'effort';
    },
    rest,
  };
}
