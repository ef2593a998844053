// Turns the state of a controller into a view model, displays it, and decides which changes to announce.

import { type ChallengeState, idleState } from '../challenge/challenge-state.js';
import { type ChallengeEvents, type ChallengeView, createChallengeView } from './challenge-view.js';
import { sayDuration } from './durations.js';
import { fill, languageOf, texts } from './texts.js';
import { errorText, type ViewModel } from './view-model.js';

export interface Presenter {
  readonly view: ChallengeView;
  /** What the view displays now. */
  readonly model: ViewModel;
  /** Displays a state; null if there is no controller. */
  present(state: ChallengeState | null, disabled: boolean): void;
  /** Announces a text to screen readers. */
  announce(key: 'delayed'): void;
  /** Records the person's choice, which is displayed before the controller has fetched it. */
  choose(name: 'effort' | 'image'): void;
  /** Stops the timer. */
  stop(): void;
}

/**
 * @param element its place in the page determines the language
 * @param onTick called every second during a retry delay, to present the state again
 */
export function createPresenter(
  element: Element,
  root: ShadowRoot,
  events: ChallengeEvents,
  onTick: () => void,
): Presenter {
  const view = createChallengeView(root, events);
  let timer: ReturnType<typeof setInterval> | undefined;
  let effortChosen = false;
  let model = modelOf(idleState, false);
  let isFirst = true;
  let hasFailed = false;

  function modelOf(state: ChallengeState, disabled: boolean): ViewModel {
    const language = languageOf(element);
    const captchaRequired = state.captcha !== null || state.captchaRequired;
    if (state.captcha !== null) effortChosen = state.captcha.kind === 'effort';
    else if (!captchaRequired) effortChosen = false;
    const waitMs = (state.retryAtMs ?? 0) - Date.now();
    return {
      state,
      language,
      texts: texts[language],
      waitSeconds: Math.max(0, Math.ceil(waitMs / 1000)),
      captchaRequired,
      effortChosen,
      disabled,
    };
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    view,
    get model() {
      return model;
    },
    present(state, disabled) {
      const before = isFirst ? undefined : model;
      model = modelOf(state ?? idleState, disabled);
      isFirst = false;
      view.show(model);
      const announcement = disabled ? null : announcementOf(before, model, hasFailed);
      if (announcement !== null) view.announce(announcement);
      if (model.state.status === 'error') hasFailed = true;
      else if (model.state.status === 'ready') hasFailed = false;
      if (model.waitSeconds === 0) stop();
      else timer ??= setInterval(onTick, 1000);
    },
    announce: (key) => view.announce(model.texts[key]),
    choose(name) {
      effortChosen = name === 'effort';
    },
    stop,
  };
}

/**
 * Returns what to announce after a change; null for nothing. Only changes that concern the person are announced, never
 * routine work.
 * @param hasFailed an error was announced and its end has not been yet
 */
function announcementOf(before: ViewModel | undefined, now: ViewModel, hasFailed: boolean): string | null {
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
